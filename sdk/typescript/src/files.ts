import { ConnectionFailedError, SandboxError, StreamInterruptedError } from "./errors.js";
import { EventStream, type FileEvent } from "./events.js";
import { downloadFolder, uploadFolder, type FolderOptions } from "./folders.js";
import { backoff, connectionError, encodePath, sleep, type Answer, type Body, type Transport } from "./http.js";
import type { File, ReplacedText } from "./models.js";
import { pages } from "./pages.js";

export interface Signalled {
  signal?: AbortSignal;
}

export interface WriteOptions extends Signalled {
  /** Octal, as "0755"; 0644 if absent. */
  mode?: string;
}

export interface ReadOptions extends Signalled {
  /** Positions of the first and the last byte, counted from 0, both included. */
  first?: number;
  last?: number;
}

export interface ListOptions {
  /** How many folders deep; 1 if absent. */
  depth?: number;
  /** Search: names like this. */
  glob?: string;
  /** Search: files that hold this text. */
  contains?: string;
  pageSize?: number;
}

/** What can be written. A function makes a stream anew when a request has to be repeated. */
export type Source = Body | AsyncIterable<Uint8Array> | (() => Body);

/** The files of a sandbox. Paths are relative to the workspace, or absolute below /workspace or /tmp. */
export class Files {
  private readonly base: string;

  constructor(
    private readonly transport: Transport,
    sandboxId: string,
  ) {
    this.base = `/api/v1/sessions/${encodeURIComponent(sandboxId)}/files`;
  }

  private at(path: string): string {
    return `${this.base}/${encodePath(path)}`;
  }

  /** Writes a file whole; folders on the way are made. */
  write(path: string, data: Source, options: WriteOptions = {}): Promise<File> {
    const body = isAsyncIterable(data) ? toStream(data) : data;
    return this.transport.json({
      method: "PUT", path: this.at(path), query: { mode: options.mode }, body, signal: options.signal, timeout: 0,
    });
  }

  /** Writes many small files by one request; names are relative to `folder`. */
  async writeMany(
    files: readonly { name: string; data: string | Uint8Array }[], options: WriteOptions & { folder?: string } = {},
  ): Promise<{ name: string; path: string; size: number }[]> {
    const boundary = `atoll-${crypto.randomUUID()}`;
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    for (const { name, data } of files) {
      parts.push(encoder.encode(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8''${extended(name)}\r\n\r\n`));
      parts.push(typeof data === "string" ? encoder.encode(data) : data, encoder.encode("\r\n"));
    }
    parts.push(encoder.encode(`--${boundary}--\r\n`));
    const { files: written } = await this.transport.json<{ files: { name: string; path: string; size: number }[] }>({
      method: "POST", path: `${this.base}/upload`, query: { path: options.folder || undefined, mode: options.mode },
      body: joined(parts), headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      signal: options.signal, repeatable: true, timeout: 0,
    });
    return written;
  }

  /** The content, or a range of it. */
  read(path: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return this.transport.bytes({ method: "GET", path: this.at(path), headers: range(options), signal: options.signal, timeout: 0 });
  }

  async readText(path: string, options: ReadOptions = {}): Promise<string> {
    return new TextDecoder().decode(await this.read(path, options));
  }

  /** The content as it comes; memory does not grow with its size. A connection that breaks is made again from there on. */
  async readStream(path: string, options: ReadOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const call = { method: "GET" as const, path: this.at(path), signal: options.signal };
    const first = await this.transport.open({ ...call, headers: range(options) });
    return resumable(this.transport, first, async (got) => {
      const again = await this.transport.open({ ...call, headers: range({ ...options, first: (options.first ?? 0) + got }) });
      const tag = first.response.headers.get("etag");
      if (again.response.status === 206 && again.response.headers.get("etag") === tag && tag !== null) return again;
      again.limit.controller.abort();
      throw new StreamInterruptedError(`${path} has changed while it was read`, { code: "stream_interrupted" });
    }, options.signal);
  }

  /** A folder as a tar archive. */
  async readArchive(path: string, options: Signalled = {}): Promise<AsyncIterable<Uint8Array>> {
    return iterate(await this.readStream(path, options));
  }

  /** All files of a folder, or of a search below it. */
  list(path = "", options: ListOptions = {}): AsyncGenerator<File, void> {
    return pages(this.transport, this.base, "files", {
      path: path || undefined, depth: options.depth, glob: options.glob, contains: options.contains, limit: options.pageSize,
    });
  }

  mkdir(path: string, options: { mode?: string; parents?: boolean } & Signalled = {}): Promise<File> {
    const { mode, parents, signal } = options;
    return this.post("mkdir", { path, mode, parents }, signal, parents !== false);
  }

  move(from: string, to: string, options: { overwrite?: boolean } & Signalled = {}): Promise<File> {
    return this.post("move", { from, to, overwrite: options.overwrite }, options.signal, false);
  }

  chmod(path: string, mode: string, options: Signalled = {}): Promise<File> {
    return this.post("chmod", { path, mode }, options.signal, true);
  }

  /** Replaces every occurrence of a text in a file of up to 16 MiB; how many there were. */
  async replace(path: string, old: string, text: string, options: Signalled = {}): Promise<number> {
    const body = { path, old_text: old, new_text: text };
    const answer = await this.transport.json<ReplacedText>({
      method: "POST", path: `${this.base}/replace`, json: body, signal: options.signal,
    });
    return answer.count;
  }

  /** Makes symbolic links below a folder. */
  links(path: string, links: readonly { name: string; target: string }[], options: Signalled = {}): Promise<File> {
    return this.post("links", { path, links }, options.signal, true);
  }

  remove(path: string, options: { recursive?: boolean } & Signalled = {}): Promise<void> {
    return this.transport.nothing({
      method: "DELETE", path: this.at(path), query: { recursive: options.recursive }, signal: options.signal,
    });
  }

  /** Changes below a folder from now on; the workspace, if absent. */
  watch(path = "", options: { recursive?: boolean } & Signalled = {}): Promise<EventStream<FileEvent>> {
    return EventStream.open<FileEvent>(this.transport, `${this.base}/watch`, { path: path || undefined, recursive: options.recursive }, {
      signal: options.signal, lost: () => ({ type: "overflow", path }),
    });
  }

  /** Sends a folder of this machine (Node, Bun, Deno); the number of files. */
  uploadFolder(local: string, to = "", options: FolderOptions = {}): Promise<number> {
    return uploadFolder(this, local, to, options);
  }

  /** Fetches a folder (Node, Bun, Deno); the number of files. */
  downloadFolder(path: string, local: string, options: FolderOptions = {}): Promise<number> {
    return downloadFolder(this, path, local, options);
  }

  /** Sends a file of this machine (Node, Bun, Deno). */
  async upload(local: string, path: string, options: WriteOptions = {}): Promise<File> {
    const { createReadStream } = await import("node:fs");
    const { Readable } = await import("node:stream");
    return this.write(path, () => Readable.toWeb(createReadStream(local)) as ReadableStream<Uint8Array>, options);
  }

  /** Fetches a file (Node, Bun, Deno). What is cut off leaves nothing behind. */
  async download(path: string, local: string, options: ReadOptions = {}): Promise<void> {
    const { createWriteStream, promises } = await import("node:fs");
    const { pipeline } = await import("node:stream/promises");
    const partial = `${local}.part-${crypto.randomUUID().slice(0, 8)}`;
    for (let attempt = 0; ; attempt++) {
      try {
        await pipeline(iterate(await this.readStream(path, options)), createWriteStream(partial));
        return await promises.rename(partial, local);
      } catch (error) {
        await promises.rm(partial, { force: true });
        if (!(error instanceof ConnectionFailedError) || attempt >= this.transport.options.retries) throw error;
        await sleep(backoff(attempt), options.signal);
      }
    }
  }

  private post(what: string, json: unknown, signal: AbortSignal | undefined, repeatable: boolean): Promise<File> {
    return this.transport.json({ method: "POST", path: `${this.base}/${what}`, json, signal, repeatable });
  }
}

function range({ first, last }: ReadOptions): Record<string, string> {
  return first === undefined && last === undefined ? {} : { range: `bytes=${first ?? 0}-${last ?? ""}` };
}

/** A name for `filename*`: everything but the unreserved characters is percent-encoded. */
function extended(name: string): string {
  return encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function isAsyncIterable(data: Source): data is AsyncIterable<Uint8Array> {
  return typeof data === "object" && Symbol.asyncIterator in data && !(data instanceof ReadableStream);
}

function toStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The body of an answer; `again` asks for what follows so many bytes. */
function resumable(
  transport: Transport, first: Answer, again: (got: number) => Promise<Answer>, signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let answer = first;
  let reader = first.response.body?.getReader();
  let got = 0;
  let failures = 0;
  const reopen = async (cause: unknown) => {
    answer.limit.release();
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof SandboxError) throw cause;
    if (++failures > transport.options.retries) throw connectionError(cause, transport.options.url);
    await sleep(backoff(failures - 1), signal);
    answer = await again(got);
    reader = answer.response.body?.getReader();
  };
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        try {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) {
            answer.limit.release();
            return controller.close();
          }
          got += value.length;
          failures = 0;
          return controller.enqueue(value);
        } catch (error) {
          await reopen(error);
        }
      }
    },
    async cancel(reason) {
      answer.limit.release();
      await reader?.cancel(reason);
    },
  });
}
