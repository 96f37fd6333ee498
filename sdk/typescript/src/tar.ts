/** One entry of an archive. `body` must be read, or is skipped, before the next entry comes. */
export interface TarEntry {
  name: string;
  type: "file" | "directory" | "symlink" | "other";
  mode: number;
  size: number;
  target: string;
  body: AsyncGenerator<Uint8Array, void>;
}

const BLOCK = 512;
const MOST_HEADER = 1024 * 1024; // of the long names of one entry

/** Bytes of a stream, so many at a time. */
class Bytes {
  private chunk: Uint8Array = new Uint8Array(0);
  constructor(private readonly source: AsyncIterator<Uint8Array>) {}

  /** At most `most` bytes; none at the end. */
  async some(most: number): Promise<Uint8Array> {
    while (this.chunk.length === 0) {
      const { done, value } = await this.source.next();
      if (done) return this.chunk;
      this.chunk = value;
    }
    const part = this.chunk.subarray(0, most);
    this.chunk = this.chunk.subarray(part.length);
    return part;
  }

  async exactly(size: number): Promise<Uint8Array> {
    const out = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const part = await this.some(size - at);
      if (part.length === 0) throw new Error("the archive ends in the middle");
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function number(bytes: Uint8Array): number {
  if ((bytes[0] ?? 0) & 0x80) {
    // Large numbers are binary.
    return bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const digits = text(bytes).trim();
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function paxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const size = Number(new TextDecoder().decode(bytes.subarray(at, space)));
    if (space < 0 || !(size > 0)) break;
    const [key, ...value] = new TextDecoder().decode(bytes.subarray(space + 1, at + size - 1)).split("=");
    records.set(key ?? "", value.join("="));
    at += size;
  }
  return records;
}

const TYPES: Record<string, TarEntry["type"]> = { "0": "file", "\0": "file", "5": "directory", "2": "symlink" };

/** The entries of a tar archive, with the long names of GNU and POSIX. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const bytes = new Bytes(source[Symbol.asyncIterator]());
  let long = new Map<string, string>();
  for (;;) {
    const head = await bytes.exactly(BLOCK);
    if (head.every((byte) => byte === 0)) return;
    const kind = String.fromCharCode(head[156] ?? 48);
    const size = number(head.subarray(124, 136));
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if ("xLK".includes(kind) || kind === "g") {
      if (size > MOST_HEADER) throw new Error("the archive has a name that is too long");
      const content = await bytes.exactly(size);
      await bytes.exactly(padding);
      if (kind === "x") long = new Map([...long, ...paxRecords(content)]);
      if (kind === "L") long.set("path", text(content));
      if (kind === "K") long.set("linkpath", text(content));
      continue;
    }
    const prefix = text(head.subarray(257, 262)) === "ustar" ? text(head.subarray(345, 500)) : "";
    const short = text(head.subarray(0, 100));
    let left = Number(long.get("size") ?? size);
    const whole = left;
    const after = (BLOCK - (left % BLOCK)) % BLOCK;
    async function* body(): AsyncGenerator<Uint8Array, void> {
      while (left > 0) {
        const part = await bytes.some(left);
        if (part.length === 0) throw new Error("the archive ends in the middle");
        left -= part.length;
        yield part;
      }
    }
    yield {
      name: long.get("path") ?? (prefix ? `${prefix}/${short}` : short),
      type: TYPES[kind] ?? "other",
      mode: number(head.subarray(100, 108)) & 0o777,
      size: whole,
      target: long.get("linkpath") ?? text(head.subarray(157, 257)),
      body: body(),
    };
    while (left > 0) left -= (await bytes.exactly(Math.min(left, 65536))).length;
    await bytes.exactly(after);
    long = new Map();
  }
}
