// Child processes: output, input, a pipeline, a large exchange, environment and folder.
const { spawn, exec, execFile } = require("child_process");
const { promisify } = require("util");
const fs = require("fs");
const collect = (child) =>
  new Promise((resolve) => {
    const out = [],
      err = [];
    child.stdout.on("data", (part) => out.push(part));
    child.stderr.on("data", (part) => err.push(part));
    child.on("close", (code, signal) =>
      resolve({ out: Buffer.concat(out), err: String(Buffer.concat(err)), code, signal }),
    );
  });
(async () => {
  console.log(await promisify(exec)("echo $((6 * 7)); echo oops >&2"));
  const upper = spawn("tr", ["a-z", "A-Z"]);
  upper.stdin.end("shout\n");
  console.log(String((await collect(upper)).out).trim());
  const data = Buffer.alloc(2 << 20, "0123456789abcdef");
  const cat = spawn("cat");
  cat.stdin.end(data);
  console.log((await collect(cat)).out.equals(data));
  const first = spawn("printf", ["b\\na\\nc\\na\\n"]);
  const second = spawn("sort", ["-u"]);
  first.stdout.pipe(second.stdin);
  console.log(String((await collect(second)).out).split("\n"));
  fs.mkdirSync("sub");
  const inSub = await promisify(execFile)("sh", ["-c", 'basename "$PWD"; echo "$WORD"'], {
    cwd: "sub",
    env: { WORD: "grün" },
  });
  console.log(inSub.stdout.split("\n"));
  const { code, signal, err } = await collect(spawn("sh", ["-c", "echo bad >&2; exit 12"]));
  console.log(code, signal, err);
})();
