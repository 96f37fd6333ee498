// Archives of sandboxes, which are not to be trusted, and folders of this machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Atoll } from "@atoll/sdk";
import { json, serving, session } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "atoll-folders-"));
after(() => rmSync(folder, { recursive: true }));

const block = (bytes) => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
function entry(name, kind, { content = "", target = "" } = {}) {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write("0000644\0", 100);
  head.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write(kind, 156);
  head.write(target, 157);
  head.write("ustar\0", 257);
  return Buffer.concat([head, block(Buffer.from(content))]);
}

const fetched = (archive, into) => serving((request, response) => {
  if (request.url.endsWith("/s1")) return json(response, session);
  response.end(archive);
}, async (atoll) => (await atoll.connect("s1")).files.downloadFolder("x", join(folder, into)));
const end = Buffer.alloc(1024);

test("a name that leads out is refused", async () => {
  for (const name of ["../out.txt", "/tmp/out.txt", "a/../../out.txt"]) {
    await assert.rejects(fetched(Buffer.concat([entry(name, "0", { content: "x" }), end]), "refused"), (error) => error.code === "unsafe_path");
  }
  assert.ok(!existsSync(join(folder, "out.txt")));
});

test("nothing is written through a link of the archive, and links that lead out are left out", async () => {
  const archive = Buffer.concat([
    entry("in", "2", { target: "file" }), entry("up", "2", { target: "../.." }), entry("root", "2", { target: "/etc" }),
    entry("up/hit.txt", "0", { content: "hit" }), entry("file", "0", { content: "text" }), end,
  ]);
  await fetched(archive, "links");
  assert.equal(readlinkSync(join(folder, "links/in")), "file");
  assert.ok(!existsSync(join(folder, "links/root")));
  assert.ok(!existsSync(join(folder, "hit.txt")));
});

test("a link that is there already is not followed", async () => {
  mkdirSync(join(folder, "there"));
  symlinkSync(folder, join(folder, "there/sub"));
  await assert.rejects(fetched(Buffer.concat([entry("sub/hit.txt", "0", { content: "x" }), end]), "there"), (error) => error.code === "unsafe_path");
  assert.ok(!existsSync(join(folder, "hit.txt")));
});

test("an archive that is cut off is an error", async () => {
  await assert.rejects(fetched(entry("a", "0", { content: "x".repeat(2000) }).subarray(0, 1500), "cut"));
});

test("archives of tar itself, with long names", async () => {
  const source = join(folder, "source");
  const long = "d".repeat(90);
  mkdirSync(join(source, long, long), { recursive: true });
  writeFileSync(join(source, long, long, `${"ü".repeat(60)}.txt`), "long");
  for (const format of ["gnu", "pax"]) {
    const archive = execFileSync("tar", [`--format=${format}`, "-C", source, "-c", "."], { maxBuffer: 1 << 24 });
    assert.equal(await fetched(archive, format), 1);
    assert.equal(readFileSync(join(folder, format, long, long, `${"ü".repeat(60)}.txt`), "utf8"), "long");
  }
});

test("a folder with links, modes, empty folders and odd names goes there and back", async () => {
  const source = join(folder, "odd");
  mkdirSync(join(source, "empty"), { recursive: true });
  const names = ['quote".txt', "percent%22.txt", "back\\slash.txt", "space é ü 猫.txt", "semi;colon'.txt"];
  for (const name of names) writeFileSync(join(source, name), name);
  writeFileSync(join(source, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(source, "large"), Buffer.alloc(9 << 20, 7));
  symlinkSync("run.sh", join(source, "link"));
  const sandbox = await new Atoll().create();
  try {
    assert.equal(await sandbox.files.uploadFolder(source, "in"), names.length + 2);
    const back = join(folder, "odd-back");
    assert.equal(await sandbox.files.downloadFolder("in", back), names.length + 2);
    for (const name of names) assert.equal(readFileSync(join(back, name), "utf8"), name);
    assert.ok(lstatSync(join(back, "run.sh")).mode & 0o100);
    assert.equal(readlinkSync(join(back, "link")), "run.sh");
    assert.ok(lstatSync(join(back, "empty")).isDirectory());
    assert.equal(readFileSync(join(back, "large")).length, 9 << 20);
  } finally {
    await sandbox.end();
  }
});
