import { jsonSchema, tool, type Tool } from "ai";
import type { Sandbox } from "./sandbox.js";

export interface ToolOptions {
  /** Seconds for one execution; 60 if absent. */
  timeout?: number;
}

type Named = { path: string };

const text = (description: string) => ({ type: "string" as const, description });

/** Tools of the Vercel AI SDK whose work is done in a sandbox. */
export function sandboxTools(sandbox: Sandbox, options: ToolOptions = {}) {
  const timeout = options.timeout ?? 60;
  const runCode: Tool<{ code: string; language?: string }, string> = tool({
    description: "Run code in an isolated sandbox and see what it prints. Files in the working folder stay for later calls.",
    inputSchema: jsonSchema<{ code: string; language?: string }>({
      type: "object", required: ["code"], additionalProperties: false,
      properties: {
        code: text("The program."),
        language: { type: "string", enum: ["python", "javascript", "bash"], description: "Python if absent." },
      },
    }),
    execute: ({ code, language }, call) => sandbox.runText({ code }, { timeout, ...given({ language, signal: call.abortSignal }) }),
  });
  const runCommand: Tool<{ command: string }, string> = tool({
    description: "Run a shell command in an isolated sandbox and see what it prints.",
    inputSchema: jsonSchema<{ command: string }>({
      type: "object", required: ["command"], additionalProperties: false, properties: { command: text("For a shell.") },
    }),
    execute: ({ command }, call) => sandbox.runText({ command }, { timeout, ...given({ signal: call.abortSignal }) }),
  });
  const readFile: Tool<Named, string> = tool({
    description: "Read a text file of the sandbox.",
    inputSchema: jsonSchema<Named>({
      type: "object", required: ["path"], additionalProperties: false, properties: { path: text("Relative to the working folder.") },
    }),
    execute: ({ path }, call) => sandbox.files.readText(path, given({ signal: call.abortSignal })),
  });
  const writeFile: Tool<Named & { content: string }, string> = tool({
    description: "Write a text file of the sandbox whole.",
    inputSchema: jsonSchema<Named & { content: string }>({
      type: "object", required: ["path", "content"], additionalProperties: false,
      properties: { path: text("Relative to the working folder."), content: text("All of it.") },
    }),
    execute: async ({ path, content }, call) => {
      const file = await sandbox.files.write(path, content, given({ signal: call.abortSignal }));
      return `wrote ${file.size} bytes to ${file.path}`;
    },
  });
  const listFiles: Tool<Partial<Named>, string> = tool({
    description: "List the files of a folder of the sandbox.",
    inputSchema: jsonSchema<Partial<Named>>({
      type: "object", additionalProperties: false, properties: { path: text("The working folder if absent.") },
    }),
    execute: async ({ path }) => {
      const names: string[] = [];
      for await (const file of sandbox.files.list(path)) names.push(file.type === "directory" ? `${file.path}/` : file.path);
      return names.join("\n");
    },
  });
  return { runCode, runCommand, readFile, writeFile, listFiles };
}

/** Without the members that are not there. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
