// Binary data: typed arrays over one buffer, byte order, clamping, slices and copies, Buffer methods.
const buffer = new ArrayBuffer(16);
const bytes = new Uint8Array(buffer),
  words = new Uint16Array(buffer, 2, 3),
  view = new DataView(buffer);
words[0] = 0x1234;
view.setFloat64(8, Math.PI);
view.setInt16(0, -2, true);
console.log(
  Buffer.from(bytes).toString("hex"),
  view.getUint16(2),
  view.getUint16(2, true),
  view.getBigInt64(8),
);
console.log(
  new Int8Array([127, 128, 255, -129]),
  new Uint8ClampedArray([300, -5, 1.5, 2.5]),
  new Float32Array([0.1])[0],
);
const part = bytes.subarray(2, 4),
  copy = bytes.slice(2, 4);
part[0] = 99;
console.log(
  bytes[2],
  copy[0],
  part.byteOffset,
  Uint8Array.from([3, 1, 2]).sort().join(),
  new Uint32Array(2).length,
);
const b = Buffer.alloc(12);
b.writeUInt32BE(0xdeadbeef, 0);
b.writeInt16LE(-1, 4);
b.write("é!", 6);
console.log(
  b,
  b.readUInt32LE(0),
  b.indexOf("é"),
  b.subarray(6, 9).toString(),
  Buffer.concat([b.subarray(0, 2), Buffer.from("z")]),
  Buffer.compare(Buffer.from("a"), Buffer.from("b")),
);
console.log(
  Buffer.from("aGVsbG8=", "base64").toString(),
  Buffer.from("abc").equals(Buffer.from([97, 98, 99])),
  Buffer.from("abc").swap16 !== undefined,
  Buffer.from([1, 2, 3, 4]).swap16(),
);
for (const bad of [() => view.getInt32(14), () => new Uint16Array(buffer, 1), () => b.readInt32BE(10)]) {
  try {
    bad();
  } catch (error) {
    console.log(error.name, error.code ?? "");
  }
}
