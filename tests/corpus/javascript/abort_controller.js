// Cancelling: signals, timers that are cleared, listeners that are removed.
const { setTimeout: delay } = require("timers/promises");
(async () => {
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => console.log("listener", controller.signal.reason));
  const waiting = delay(60000, null, { signal: controller.signal });
  controller.abort("changed my mind");
  try {
    await waiting;
  } catch (error) {
    console.log(error.name, error.code, controller.signal.aborted);
  }
  const timer = setTimeout(() => console.log("never printed"), 20);
  clearTimeout(timer);
  setInterval(() => console.log("never printed"), 60000).unref();
  let count = 0;
  await new Promise((resolve) => {
    const interval = setInterval(() => {
      if (++count === 3) {
        clearInterval(interval);
        resolve();
      }
    }, 1);
  });
  console.log("ticks", count);
  try {
    AbortSignal.abort(new Error("given")).throwIfAborted();
  } catch (error) {
    console.log(error.message);
  }
})();
