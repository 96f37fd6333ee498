// A module: top-level await, imports of files made as it runs, live bindings, JSON, errors, import.meta.
import fs from "node:fs";
import path, { basename } from "node:path";
import { createRequire } from "node:module";

fs.writeFileSync(
  "counter.mjs",
  "export let count = 0;\nexport const add = () => ++count;\nexport default 'a default';\n",
);
fs.writeFileSync("old.cjs", "exports.kind = 'commonjs';\nexports.twice = (x) => 2 * x;\n");
fs.writeFileSync("broken.mjs", "export const x = missingName;\n");
fs.writeFileSync("data.json", '{"answer": 42}');
const counter = await import("./counter.mjs");
counter.add();
counter.add();
console.log(
  counter.count,
  counter.default,
  (await import("./counter.mjs")) === counter,
  Object.keys(counter),
);
const { kind, twice } = await import("./old.cjs");
console.log(kind, twice(21));
const require = createRequire(import.meta.url);
console.log(require("./data.json").answer, basename(import.meta.url), path.posix === path);
for (const name of ["./none.mjs", "./broken.mjs", "no-such-package"]) {
  try {
    await import(name);
  } catch (error) {
    console.log(name, error.name, error.code ?? "");
  }
}
try {
  counter.count = 5;
} catch (error) {
  console.log(error.name);
}
console.log(typeof globalThis.require, typeof this, await Promise.resolve("top-level await"));
