// Eight megabytes through a stream with back-pressure, binary.
const { Readable } = require("stream");
function* blocks() {
  for (let n = 0; n < 128; n++) yield Buffer.alloc(65536, Buffer.from([n, n * 3, 255 - n, 10]));
}
Readable.from(blocks()).pipe(process.stdout);
