// A signal without a handler ends the program: status 128 + 15, and exit handlers do not run.
process.on("exit", () => console.log("never printed"));
console.log("before");
process.kill(process.pid, "SIGTERM");
setTimeout(() => console.log("never printed either"), 60000);
