// Files: write, append, positions, rename, links, modes, folders, errors by code.
const fs = require("fs");
const path = require("path");
fs.writeFileSync("notes.txt", "première ligne\n0\n1\n2\n");
fs.appendFileSync("notes.txt", "last\n");
const fd = fs.openSync("notes.txt", "r+");
const size = fs.fstatSync(fd).size;
const tail = Buffer.alloc(5);
fs.readSync(fd, tail, 0, 5, size - 5);
fs.ftruncateSync(fd, size - 5);
fs.writeSync(fd, "P", 0);
fs.closeSync(fd);
console.log(size, String(tail), fs.readFileSync("notes.txt", "utf8").split("\n"));
fs.mkdirSync("a/b/c", { recursive: true });
fs.renameSync("notes.txt", "a/b/moved.txt");
fs.symlinkSync("b/moved.txt", "a/link");
fs.linkSync("a/b/moved.txt", "a/hard");
console.log(
  fs.readlinkSync("a/link"),
  fs.statSync("a/hard").nlink,
  fs.statSync("a/hard").ino === fs.statSync("a/link").ino,
);
fs.chmodSync("a/hard", 0o640);
console.log((fs.statSync("a/b/moved.txt").mode & 0o777).toString(8), fs.lstatSync("a/link").isSymbolicLink());
for (const bad of [
  () => fs.readFileSync("missing"),
  () => fs.readFileSync("a"),
  () => fs.rmdirSync("a"),
  () => fs.mkdirSync("a"),
  () => fs.statSync("a/hard/x"),
  () => fs.writeFileSync("x".repeat(300), ""),
]) {
  try {
    bad();
  } catch (error) {
    console.log(error.code, error.syscall);
  }
}
const walk = (folder) =>
  fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((x, y) => (x.name < y.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? walk(path.join(folder, entry.name)) : [path.join(folder, entry.name)],
    );
console.log(walk("a"), fs.existsSync("a/none"), path.relative("a/b", "a/link"), path.parse("/x/y.tar.gz"));
fs.cpSync("a", "copy", { recursive: true, dereference: true });
fs.rmSync("a", { recursive: true });
console.log(fs.existsSync("a"), fs.readdirSync("copy").sort());
