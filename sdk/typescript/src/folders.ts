import { SandboxError } from "./errors.js";
import type { Files } from "./files.js";
import { readTar } from "./tar.js";

// Node's modules are loaded when a folder is asked for, so that browsers can have the rest.
const node = {
  fs: () => import("node:fs"),
  path: () => import("node:path"),
  stream: () => import("node:stream/promises"),
};

const BATCH_FILES = 500; // the server takes 1000 parts
const BATCH_BYTES = 8 * 1024 * 1024;

/** How far a folder is. */
export interface Progress {
  /** Bytes of content so far. */
  bytes: number;
  files: number;
}

export interface FolderOptions {
  progress?: (so: Progress) => void;
  signal?: AbortSignal;
}

interface LocalFile {
  local: string;
  remote: string;
  size: number;
}

interface Found {
  files: Map<string, LocalFile[]>; // by mode
  empty: string[];
  links: { name: string; target: string }[];
}

async function find(root: string, found: Found, below = ""): Promise<void> {
  const [{ promises: fs }, path] = [await node.fs(), await node.path()];
  const entries = await fs.readdir(path.join(root, below), { withFileTypes: true });
  if (entries.length === 0 && below) found.empty.push(below);
  for (const entry of entries) {
    const remote = below ? `${below}/${entry.name}` : entry.name;
    const local = path.join(root, remote);
    if (entry.isDirectory()) await find(root, found, remote);
    else if (entry.isSymbolicLink()) found.links.push({ name: remote, target: await fs.readlink(local) });
    else if (entry.isFile()) {
      const stat = await fs.stat(local);
      const mode = stat.mode & 0o100 ? "0755" : "0644";
      const list = found.files.get(mode) ?? [];
      list.push({ local, remote, size: stat.size });
      found.files.set(mode, list);
    }
  }
}

/** Sends a folder of this machine; the number of files. */
export async function uploadFolder(files: Files, local: string, remote: string, options: FolderOptions): Promise<number> {
  const { promises: fs, createReadStream } = await node.fs();
  const found: Found = { files: new Map(), empty: [], links: [] };
  await find(local, found);
  const so: Progress = { bytes: 0, files: 0 };
  const below = (name: string) => (remote && remote !== "." ? `${remote.replace(/\/$/, "")}/${name}` : name);
  for (const [mode, list] of found.files) {
    let batch: { name: string; data: Uint8Array }[] = [];
    let size = 0;
    const send = async () => {
      if (batch.length === 0) return;
      await files.writeMany(batch, { mode, folder: remote, ...signalOf(options) });
      so.bytes += size;
      so.files += batch.length;
      options.progress?.({ ...so });
      batch = [];
      size = 0;
    };
    for (const file of list) {
      if (file.size > BATCH_BYTES) {
        const { Readable } = await import("node:stream");
        await files.write(below(file.remote), () => Readable.toWeb(createReadStream(file.local)) as ReadableStream<Uint8Array>,
          { mode, ...signalOf(options) });
        so.bytes += file.size;
        so.files += 1;
        options.progress?.({ ...so });
        continue;
      }
      if (batch.length >= BATCH_FILES || size + file.size > BATCH_BYTES) await send();
      const data = await fs.readFile(file.local);
      batch.push({ name: file.remote, data });
      size += data.length;
    }
    await send();
  }
  for (const name of found.empty) await files.mkdir(below(name), signalOf(options));
  for (let at = 0; at < found.links.length; at += 1000) {
    await files.links(remote || ".", found.links.slice(at, at + 1000), signalOf(options));
  }
  return so.files;
}

function signalOf(options: FolderOptions): { signal?: AbortSignal } {
  return options.signal ? { signal: options.signal } : {};
}

/** Path below the root, or nothing where a name tries to leave it. */
function safeParts(name: string): string[] | undefined {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  return name.startsWith("/") || parts.includes("..") || name.includes("\0") ? undefined : parts;
}

/**
 * Fetches a folder; the number of files. The archive comes from a sandbox, so it is not trusted: names that lead out
 * are refused, links that lead out are left out, and links are made last, so that nothing is written through them.
 */
export async function downloadFolder(files: Files, remote: string, local: string, options: FolderOptions): Promise<number> {
  const [{ promises: fs, createWriteStream }, path, { pipeline }] = [await node.fs(), await node.path(), await node.stream()];
  await fs.mkdir(local, { recursive: true });
  const root = await fs.realpath(local);
  const so: Progress = { bytes: 0, files: 0 };
  const links: { at: string; target: string }[] = [];
  const prepare = async (parts: string[]) => {
    const folder = path.join(root, ...parts.slice(0, -1));
    await fs.mkdir(folder, { recursive: true });
    if ((await fs.realpath(folder)) !== folder) {
      throw new SandboxError(`${folder} leads out of ${root} by a link`, { code: "unsafe_path" });
    }
    const at = path.join(folder, parts.at(-1) ?? "");
    const old = await fs.lstat(at).catch(() => undefined);
    if (old && !old.isDirectory()) await fs.unlink(at);
    return at;
  };
  for await (const entry of readTar(await files.readArchive(remote, signalOf(options)))) {
    const parts = safeParts(entry.name);
    if (!parts) throw new SandboxError(`the archive holds a name that leads out: ${entry.name}`, { code: "unsafe_path" });
    if (parts.length === 0) continue;
    const at = await prepare(parts);
    if (entry.type === "directory") await fs.mkdir(at, { recursive: true });
    if (entry.type === "symlink") {
      const target = path.resolve(path.dirname(at), entry.target);
      if (!path.isAbsolute(entry.target) && (target === root || target.startsWith(root + path.sep))) links.push({ at, target: entry.target });
    }
    if (entry.type !== "file") continue;
    await pipeline(entry.body, createWriteStream(at, { mode: entry.mode }));
    so.bytes += entry.size;
    so.files += 1;
    options.progress?.({ ...so });
  }
  for (const link of links) await fs.symlink(link.target, link.at);
  return so.files;
}
