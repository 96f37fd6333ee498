// A folder goes in, is worked on, and comes back.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sandbox } from "@atoll/sdk";

const here = await mkdtemp(join(tmpdir(), "atoll-files-"));
for (const name of ["a", "b", "c"]) await writeFile(join(here, `${name}.txt`), `${name}\n`);

await using sandbox = await Sandbox.create();
const sent = await sandbox.files.uploadFolder(here, "in");
await sandbox.exec("mkdir out; for f in in/*; do tr a-z A-Z < $f > out/$(basename $f); done", { check: true });
const back = join(here, "back");
const fetched = await sandbox.files.downloadFolder("out", back);
console.log(`${sent} files sent, ${fetched} fetched`);
console.log((await Promise.all(["a", "b", "c"].map((name) => readFile(join(back, `${name}.txt`), "utf8")))).join("").split("\n").join(" ").trim());
