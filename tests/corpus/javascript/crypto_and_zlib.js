// Hashes, keys, ciphers, random bytes and compression round trips.
const crypto = require("crypto");
const zlib = require("zlib");
const data = Buffer.from(Array.from({ length: 2000 }, (_, i) => `${i} ${"abc".repeat(i % 5)}\n`).join(""));
for (const name of ["md5", "sha1", "sha256", "sha3-256", "blake2b512"])
  console.log(name, crypto.createHash(name).update(data).digest("hex").slice(0, 32));
console.log(
  crypto.createHmac("sha256", "key").update(data).digest("base64"),
  crypto.pbkdf2Sync("pw", "salt", 1000, 16, "sha1").toString("hex"),
);
console.log(
  crypto.scryptSync("pw", "salt", 16, { N: 16 }).toString("hex"),
  crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ab")),
);
const key = Buffer.alloc(32, 7),
  iv = Buffer.alloc(12, 9);
const cipher = crypto.createCipheriv("aes-256-gcm", key, iv);
const secret = Buffer.concat([cipher.update("hidden text"), cipher.final()]);
const decipher = crypto.createDecipheriv("aes-256-gcm", key, iv).setAuthTag(cipher.getAuthTag());
console.log(secret.toString("hex"), decipher.update(secret) + decipher.final());
const { publicKey, privateKey } = crypto.generateKeyPairSync("ed25519");
console.log(
  crypto.verify(null, data, publicKey, crypto.sign(null, data, privateKey)),
  crypto.sign(null, data, privateKey).length,
);
console.log(
  new Set(Array.from({ length: 50 }, () => crypto.randomUUID())).size,
  crypto.randomBytes(5).length,
  crypto.randomInt(3, 4),
);
for (const [pack, unpack] of [
  ["gzipSync", "gunzipSync"],
  ["deflateSync", "inflateSync"],
  ["deflateRawSync", "inflateRawSync"],
  ["brotliCompressSync", "brotliDecompressSync"],
]) {
  const small = zlib[pack](data);
  console.log(pack, small.length < data.length / 2, zlib[unpack](small).equals(data));
}
try {
  zlib.inflateSync(Buffer.from("not compressed"));
} catch (error) {
  console.log(error.code);
}
