// An agent with two tools. The model is a script, so that this runs offline; a real one returns the same kind of calls.
import { Sandbox } from "@atoll/sdk";

type Step = { tool: "run_code" | "write_file"; input: Record<string, string> } | { answer: (seen: string) => string };

const model: Step[] = [
  { tool: "write_file", input: { path: "numbers.txt", content: "3\n1\n2\n" } },
  { tool: "run_code", input: { code: "print(sorted(open('numbers.txt').read()))[0]" } },
  { tool: "run_code", input: { code: "print(sorted(map(int, open('numbers.txt'))))" } },
  { answer: (seen) => `sorted: ${seen}` },
];

await using sandbox = await Sandbox.create();
const tools = {
  run_code: ({ code = "" }) => sandbox.runText(code, { timeout: 30 }),
  write_file: async ({ path = "", content = "" }) => `wrote ${(await sandbox.files.write(path, content)).size} bytes`,
};

let seen = "";
for (const step of model) {
  if ("answer" in step) {
    console.log(step.answer(seen));
  } else {
    seen = (await tools[step.tool](step.input)).trim();
    console.log(`${step.tool}: ${seen.split("\n").at(-1)}`);
  }
}
