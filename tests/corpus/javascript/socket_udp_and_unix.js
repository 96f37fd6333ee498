// Datagrams on the loopback device, and a Unix socket in the working folder.
const dgram = require("dgram");
const net = require("net");
const fs = require("fs");
const receiver = dgram.createSocket("udp4"),
  sender = dgram.createSocket("udp4");
const got = [];
receiver.on("message", (message, from) => {
  got.push(`${message} from ${from.address}`);
  if (got.length === 3) {
    console.log(got.sort());
    receiver.close();
    sender.close();
    unix();
  }
});
receiver.bind(0, "127.0.0.1", () =>
  ["one", "two", "three"].forEach((word) => sender.send(word, receiver.address().port, "127.0.0.1")),
);
function unix() {
  const server = net.createServer((socket) =>
    socket.on("data", (data) => socket.end(String(data).toUpperCase())),
  );
  server.listen("talk.sock", () => {
    console.log(fs.statSync("talk.sock").isSocket());
    const client = net.connect("talk.sock", () => client.write("over a socket file"));
    client.on("data", (data) => console.log(String(data)));
    client.on("close", () => server.close(() => console.log(fs.existsSync("talk.sock"))));
  });
}
