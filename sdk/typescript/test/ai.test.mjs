// The tools of @atoll/sdk/ai with the real package `ai` and a model that is a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Atoll } from "@atoll/sdk";
import { sandboxTools } from "@atoll/sdk/ai";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 },
};

test("a model calls tools until it has its answer", async () => {
  const calls = [
    ["writeFile", { path: "n.txt", content: "3\n1\n2\n" }],
    ["runCode", { code: "print(sorted(map(int, open('n.txt'))))" }],
    ["runCommand", { command: "echo bad >&2; exit 3" }],
    ["readFile", { path: "n.txt" }],
    ["listFiles", {}],
    ["runCode", { code: "console.log(6 * 7)", language: "javascript" }],
  ];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const turn = prompt.filter((one) => one.role === "tool").length;
      const [toolName, input] = calls[turn] ?? [];
      const content = toolName
        ? [{ type: "tool-call", toolCallId: `c${turn}`, toolName, input: JSON.stringify(input) }] : [{ type: "text", text: "done" }];
      return { content, usage, warnings: [], finishReason: { unified: toolName ? "tool-calls" : "stop", raw: undefined } };
    },
  });
  const sandbox = await new Atoll().create();
  try {
    const { text, steps } = await generateText({ model, prompt: "sort", tools: sandboxTools(sandbox), stopWhen: stepCountIs(10) });
    const outputs = steps.flatMap((step) => step.toolResults.map((result) => result.output.trim()));
    assert.equal(text, "done");
    assert.deepEqual([outputs[0], outputs[1], outputs[3], outputs[4], outputs[5]],
      ["wrote 6 bytes to n.txt", "[1, 2, 3]", "3\n1\n2", "n.txt", "42"]);
    assert.match(outputs[2], /STDERR:\nbad\n[\s\S]*Exit code: 3/);
  } finally {
    await sandbox.end();
  }
});
