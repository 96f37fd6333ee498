// Bytes that are not text: written raw, decoded leniently and strictly.
const raw = Buffer.from([...Array(256).keys(), 0xc3, 0x28, 0xa0, 0xed, 0xa0, 0x80, 0xf5, 0x80, 10]);
process.stdout.write(raw);
const text = raw.toString("utf8");
console.log(text.length, text.split("\uFFFD").length - 1, raw.toString("latin1").length);
console.log(Buffer.from(raw.toString("latin1"), "latin1").equals(raw), Buffer.from(text).equals(raw));
try {
  new TextDecoder("utf-8", { fatal: true }).decode(raw);
} catch (error) {
  console.log(error.name, error.code);
}
console.log("lone \uD83D surrogate", Buffer.from("\uD83D").toString("hex"));
console.log(Buffer.from("ff00zz", "hex"), Buffer.from("_-8", "base64url"), raw.toString("base64").slice(-12));
