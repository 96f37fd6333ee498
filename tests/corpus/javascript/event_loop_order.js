// The order of the event loop: script, nextTick, microtasks, timers, immediates.
const fs = require("fs");
const log = [];
const note = (name) => () => log.push(name);
setTimeout(() => {
  note("timer")();
  process.nextTick(note("tick in timer"));
  Promise.resolve().then(note("promise in timer"));
}, 0);
Promise.resolve().then(note("promise 1")).then(note("promise 2"));
process.nextTick(note("tick"));
queueMicrotask(note("microtask"));
(async () => {
  note("async start")();
  await null;
  note("async after await")();
})();
note("script")();
setTimeout(() => {
  fs.stat(".", () => {
    setTimeout(note("timer after io"), 0);
    setImmediate(note("immediate after io"));
    process.nextTick(note("tick after io"));
  });
}, 5);
process.on("exit", () => console.log(log.join("\n")));
