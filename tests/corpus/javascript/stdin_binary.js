// Bytes on stdin, NUL and invalid UTF-8 among them, arrive unchanged.
const parts = [];
process.stdin.on("data", (part) => parts.push(part));
process.stdin.on("end", () => {
  const data = Buffer.concat(parts);
  console.log(data.length, data.toString("hex"));
  process.stdout.write(data.reverse());
});
