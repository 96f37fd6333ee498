// Async iteration: generators, streams as iterables, early return, events as iterables.
const { Readable } = require("stream");
const { EventEmitter, on, once } = require("events");
async function* ticker(count) {
  try {
    for (let i = 0; i < count; i++) {
      await null;
      yield i;
    }
  } finally {
    console.log("ticker closed");
  }
}
async function* map(source, f) {
  for await (const item of source) yield f(item);
}
(async () => {
  for await (const n of map(ticker(5), (x) => x * 10)) {
    console.log(n);
    if (n === 20) break;
  }
  let text = "";
  for await (const part of Readable.from(["one ", "two ", "three"])) text += part;
  console.log(text);
  const bell = new EventEmitter();
  setImmediate(() => {
    bell.emit("ring", 1);
    bell.emit("ring", 2);
    bell.emit("ring", 3);
  });
  for await (const [n] of on(bell, "ring")) {
    console.log("ring", n);
    if (n === 3) break;
  }
  setImmediate(() => bell.emit("done", "value"));
  console.log(await once(bell, "done"));
})();
