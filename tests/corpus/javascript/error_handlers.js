// Handlers for what nobody caught keep the program alive.
process.on("uncaughtException", (error, origin) => console.log("uncaught:", error.message, origin));
process.on("unhandledRejection", (reason) => console.log("rejected:", reason));
process.on("warning", (warning) => console.log("warning:", warning.name, warning.message));
process.emitWarning("take care", "CorpusWarning");
setTimeout(() => {
  throw new Error("in a timer");
}, 0);
setTimeout(() => Promise.reject("in a promise"), 5);
setTimeout(() => console.log("end"), 30);
