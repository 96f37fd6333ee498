// Streams: transforms, object mode, compression in a pipeline, errors that reach the end, a file copied.
const { pipeline } = require("stream/promises");
const { Transform, PassThrough, Readable, Writable } = require("stream");
const zlib = require("zlib");
const fs = require("fs");
const lines = () => {
  let rest = "";
  return new Transform({
    readableObjectMode: true,
    transform(chunk, _, done) {
      const parts = (rest + chunk).split("\n");
      rest = parts.pop();
      for (const part of parts) this.push(part);
      done();
    },
    flush(done) {
      if (rest) this.push(rest);
      done();
    },
  });
};
(async () => {
  const seen = [];
  await pipeline(
    Readable.from(["al", "pha\nbe", "ta\n", "gamma"]),
    lines(),
    async function* (source) {
      for await (const line of source) yield line.toUpperCase();
    },
    new Writable({
      objectMode: true,
      write(line, _, done) {
        seen.push(line);
        done();
      },
    }),
  );
  console.log(seen);
  fs.writeFileSync("plain", "island ".repeat(200000));
  await pipeline(fs.createReadStream("plain"), zlib.createGzip(), fs.createWriteStream("packed"));
  await pipeline(fs.createReadStream("packed"), zlib.createGunzip(), fs.createWriteStream("again"));
  console.log(fs.statSync("packed").size < 20000, fs.readFileSync("again").equals(fs.readFileSync("plain")));
  try {
    await pipeline(
      Readable.from(["x"]),
      new Transform({
        transform(c, e, done) {
          done(new Error("broken"));
        },
      }),
      new PassThrough(),
    );
  } catch (error) {
    console.log("pipeline failed:", error.message);
  }
  const part = [];
  for await (const chunk of fs.createReadStream("plain", {
    start: 7,
    end: 20,
    encoding: "utf8",
    highWaterMark: 5,
  }))
    part.push(chunk);
  console.log(part);
})();
