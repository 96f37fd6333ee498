// TCP on the loopback device: a server, clients, half-close, a refused connection, a port in use.
const net = require("net");
const ask = (port, text) =>
  new Promise((resolve) => {
    const link = net.connect(port, "127.0.0.1", () => link.end(text));
    let answer = "";
    link
      .setEncoding("utf8")
      .on("data", (part) => (answer += part))
      .on("close", () => resolve(answer));
  });
const server = net.createServer({ allowHalfOpen: true }, (socket) => {
  let data = "";
  socket
    .setEncoding("utf8")
    .on("data", (part) => (data += part))
    .on("end", () => socket.end(`${data.length}:${data.slice(-5)}`));
});
server.listen(0, "127.0.0.1", async () => {
  const { port, family } = server.address();
  console.log(
    family,
    await Promise.all(["hello", "x".repeat(300000) + "after", "naïve"].map((text) => ask(port, text))),
  );
  const second = net.createServer().on("error", (error) => {
    console.log(error.code);
    server.close(() => net.connect(port, "127.0.0.1").on("error", (refused) => console.log(refused.code)));
  });
  second.listen(port, "127.0.0.1");
});
