// An error nobody catches: finally blocks run, exit handlers see it, status 1.
process.on("exit", (code) => console.log("exit handler", code));
process.on("uncaughtExceptionMonitor", (error, origin) => console.log("monitor", error.message, origin));
setTimeout(() => console.log("never printed"), 0);
try {
  throw new TypeError("nobody catches this");
} finally {
  console.log("finally");
}
