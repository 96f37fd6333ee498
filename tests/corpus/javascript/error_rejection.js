// A rejected promise without a handler ends the program with status 1; a handled one does not.
process.on("exit", (code) => console.log("exit handler", code));
Promise.reject(new Error("handled")).catch((error) => console.log(error.message));
setImmediate(() => {
  console.log("still alive");
  Promise.reject(new RangeError("not handled"));
  setImmediate(() => console.log("never printed"));
});
