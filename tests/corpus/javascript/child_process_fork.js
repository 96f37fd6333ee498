// fork: messages between node processes, a child's disconnect and exit status.
const { fork } = require("child_process");
if (process.argv[2] === "child") {
  process.on("message", (message) => {
    if (message === "stop") {
      process.disconnect();
      process.exitCode = 6;
    } else {
      process.send({
        squares: message.numbers.map((n) => n * n),
        text: [...message.text].reverse().join(""),
      });
    }
  });
} else {
  const child = fork(__filename, ["child"]);
  child.on("message", (message) => {
    console.log(message);
    child.send("stop");
  });
  child.on("disconnect", () => console.log("disconnected"));
  child.on("exit", (code, signal) => console.log("exit", code, signal, child.connected));
  child.send({ numbers: [1, 2, 3], text: "añ𝄞b" });
}
