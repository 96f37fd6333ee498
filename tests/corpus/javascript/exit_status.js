// exitCode lets everything finish; beforeExit may start more work; exit handlers come last.
process.exitCode = 7;
let more = 2;
process.on("beforeExit", (code) => {
  console.log("beforeExit", code);
  if (more-- > 0) setImmediate(() => console.log("more work"));
});
process.on("exit", (code) => console.log("exit", code));
setTimeout(() => console.log("timer"), 1);
console.log("end of script");
