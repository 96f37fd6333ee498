// Code made at run time: vm contexts, time limits on loops, eval scopes, async functions, WebAssembly.
const vm = require("vm");
const context = vm.createContext({ x: 2, log: [] });
vm.runInContext("x *= 21; log.push(typeof process, typeof console); var made = [1, 2];", context);
console.log(context.x, context.log, context.made instanceof Array, Array.isArray(context.made));
try {
  vm.runInContext("for (;;);", context, { timeout: 20 });
} catch (error) {
  console.log(error.code);
}
try {
  new vm.Script("let = =", { filename: "given.js" });
} catch (error) {
  console.log(error.name, error.stack.split("\n")[0]);
}
let outer = "outer";
console.log(eval("outer"), (0, eval)("typeof outer"), new Function("return typeof outer")());
const AsyncFunction = (async () => {}).constructor;
new AsyncFunction("x", "return await x + 1")(Promise.resolve(41)).then((v) => console.log(v));
const code = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0,
  10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11,
]);
const { add } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
console.log(add(40, 2), add(2 ** 31 - 1, 1), WebAssembly.validate(code.slice(0, 20)));
console.log(new WebAssembly.Memory({ initial: 2 }).buffer.byteLength);
