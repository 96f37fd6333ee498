// Files with promises: temporary folders, handles, several writes at one time, watching names that are odd.
const fs = require("fs/promises");
const os = require("os");
const path = require("path");
(async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "corpus-"));
  console.log(path.dirname(folder) === os.tmpdir(), ((await fs.stat(folder)).mode & 0o777).toString(8));
  await Promise.all(
    [...Array(20).keys()].map((i) => fs.writeFile(path.join(folder, `part${i}`), String(i).repeat(1000))),
  );
  const sizes = await Promise.all(
    (await fs.readdir(folder)).sort().map(async (name) => (await fs.stat(path.join(folder, name))).size),
  );
  console.log(
    sizes.length,
    sizes.reduce((a, b) => a + b),
  );
  const handle = await fs.open(path.join(folder, "log"), "a+");
  for (const line of ["one", "two", "three"]) await handle.appendFile(line + "\n");
  const lines = [];
  for await (const line of handle.readLines({ start: 0 })) lines.push(line);
  console.log(lines);
  for (const name of ["grün", "日本", "🙂", "with space", "new\nline", "-dash"])
    await fs.writeFile(path.join(folder, name), name);
  console.log((await fs.readdir(folder)).filter((n) => !/^(part|log)/.test(n)).sort());
  await fs.rm(folder, { recursive: true });
  await fs.access(folder).catch((error) => console.log(error.code));
})();
