// process.exit stops timers and promises but runs the exit handlers, which may change the status.
process.on("exit", (code) => {
  console.log("leaving with", code);
  process.exitCode = code + 1;
});
setTimeout(() => console.log("never printed"), 0);
Promise.resolve().then(() => {
  console.log("microtask");
  try {
    process.exit(40);
  } finally {
    console.log("never printed either");
  }
});
