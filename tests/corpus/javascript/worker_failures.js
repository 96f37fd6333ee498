// Workers that fail: an error, an exit status, being terminated, too deep a recursion, code as text.
const { Worker } = require("worker_threads");
const run = (code, act = () => {}) =>
  new Promise((resolve) => {
    const worker = new Worker(code, { eval: true });
    const seen = [];
    worker.on("error", (error) => seen.push(`error ${error.name}: ${error.message}`));
    worker.on("message", (message) => {
      seen.push(message);
      act(worker);
    });
    worker.on("exit", (code) => resolve([...seen, `exit ${code}`]));
  });
(async () => {
  console.log(await run("throw new TypeError('inside')"));
  console.log(await run("process.exit(5)"));
  console.log(await run("Promise.reject(new Error('async inside'))"));
  console.log(
    await run("require('worker_threads').parentPort.postMessage('up'); for (;;);", (w) => w.terminate()),
  );
  console.log((await run("(function f() { f(); })()"))[0]);
  console.log(await run("const value = ;").then((r) => r[0].split(":")[0]));
  console.log(
    await run("require('worker_threads').parentPort.postMessage(require('worker_threads').isMainThread)"),
  );
})();
