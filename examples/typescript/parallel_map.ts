// The same work for 100 inputs, each in a sandbox of its own, ten at a time.
import { Atoll } from "@atoll/sdk";

const atoll = new Atoll();
const numbers = Array.from({ length: 100 }, (_, i) => i);
const squares = await atoll.map(numbers, async (sandbox, number) => {
  const done = await sandbox.exec(`echo $((${number} * ${number}))`, { check: true });
  return Number(done.stdout);
}, { template: "shell-default", parallel: 10 });
console.log(`${squares.length} results, sum ${squares.reduce((sum, square) => sum + square)}`);
