// Signals to oneself: handlers in order, once, removal, a signal that is ignored by a handler.
const seen = [];
const wait = () => new Promise((resolve) => setTimeout(resolve, 1));
process.on("SIGUSR2", (name, number) => seen.push(`${name} ${number}`));
process.once("SIGHUP", () => seen.push("hup once"));
process.on("SIGTERM", () => seen.push("not ending"));
process.on("SIGINT", () => seen.push("not interrupted"));
const until = async (count) => {
  while (seen.length < count) await wait();
};
(async () => {
  let count = 0;
  for (const signal of ["SIGUSR2", "SIGHUP", "SIGTERM", "SIGINT", "SIGUSR2"]) {
    process.kill(process.pid, signal);
    await until(++count);
  }
  console.log(seen);
  console.log(process.kill(process.pid, 0), process.listenerCount("SIGHUP"));
  try {
    process.kill(process.pid, "SIGNOTHING");
  } catch (error) {
    console.log(error.code);
  }
  try {
    process.on("SIGKILL", () => {});
  } catch (error) {
    console.log(error.code);
  }
  process.exit(seen.length);
})();
