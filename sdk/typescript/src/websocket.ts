import { connectionError, type Transport } from "./http.js";
import { ConnectionFailedError, errorOf } from "./errors.js";

/** As much of a WebSocket as a terminal needs. */
export interface Socket {
  send(data: Uint8Array | string): void;
  close(): void;
}

export interface Listener {
  message(data: Uint8Array | string): void;
  closed(code: number, reason: string): void;
}

type WithHeaders = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

interface Process {
  versions?: Record<string, string | undefined>;
}

/** The platform's WebSocket where it can send headers; Node's http module elsewhere; in browsers there are no headers. */
export async function connect(
  transport: Transport, path: string, listener: Listener, signal: AbortSignal | undefined,
): Promise<Socket> {
  const versions = (globalThis as { process?: Process }).process?.versions;
  const isPlainNode = versions?.["node"] !== undefined && versions["bun"] === undefined && versions["deno"] === undefined;
  if (isPlainNode) return connectByNode(transport, path, listener, signal);
  return connectByPlatform(transport, path, listener, signal, versions !== undefined);
}

function connectByPlatform(
  transport: Transport, path: string, listener: Listener, signal: AbortSignal | undefined, takesHeaders: boolean,
): Promise<Socket> {
  if (!takesHeaders && transport.options.headers["authorization"] !== undefined) {
    return Promise.reject(new ConnectionFailedError(
      "a browser sends no key with a WebSocket: open terminals from Node, Bun or Deno", { code: "connection_failed" }));
  }
  const url = transport.options.url.replace(/^http/, "ws") + path;
  const socket = takesHeaders
    ? new (WebSocket as unknown as WithHeaders)(url, { headers: transport.options.headers })
    : new WebSocket(url);
  socket.binaryType = "arraybuffer";
  return new Promise((resolve, reject) => {
    const stop = () => {
      socket.close();
      reject(signal?.reason);
    };
    if (signal?.aborted) return stop();
    signal?.addEventListener("abort", stop, { once: true });
    let open = false;
    socket.onopen = () => {
      open = true;
      resolve({ send: (data) => socket.send(data as string), close: () => socket.close() });
    };
    socket.onmessage = ({ data }) => listener.message(typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer));
    socket.onclose = ({ code, reason }) => {
      signal?.removeEventListener("abort", stop);
      if (open) return listener.closed(code, reason);
      // The platform does not tell the answer; the same request without an upgrade does.
      void refusal(transport, path).then(reject);
    };
  });
}

async function refusal(transport: Transport, path: string): Promise<Error> {
  try {
    const answer = await transport.options.fetch(transport.options.url + path, { headers: transport.options.headers });
    const text = await answer.text();
    if (answer.status !== 426 && !answer.ok) return errorOf(answer.status, answer.headers, text, path);
  } catch (error) {
    return connectionError(error, transport.options.url);
  }
  return new ConnectionFailedError("the terminal was refused", { code: "connection_failed" });
}

const MOST = 16 * 1024 * 1024; // of one message

/** RFC 6455 over an upgraded connection of Node, which has no WebSocket with headers before version 22. */
async function connectByNode(
  transport: Transport, path: string, listener: Listener, signal: AbortSignal | undefined,
): Promise<Socket> {
  const url = new URL(transport.options.url + path);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const key = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const headers = {
    ...transport.options.headers, connection: "Upgrade", upgrade: "websocket",
    "sec-websocket-version": "13", "sec-websocket-key": key,
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, ...(signal ? { signal } : {}) });
    asked.on("error", (error) => reject(signal?.aborted ? signal.reason : connectionError(error, transport.options.url)));
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => reject(errorOf(response.statusCode ?? 0, new Headers(response.headers as Record<string, string>), text, path)));
    });
    asked.on("upgrade", (_response, stream, first) => {
      const frames = new Frames((frame) => {
        if (frame.kind === 8) {
          const code = frame.data.length >= 2 ? (frame.data[0] ?? 0) * 256 + (frame.data[1] ?? 0) : 1005;
          if (!stream.destroyed) stream.end(encodeFrame(8, frame.data));
          finish(code, new TextDecoder().decode(frame.data.subarray(2)));
        } else if (frame.kind === 9) {
          stream.write(encodeFrame(10, frame.data));
        } else if (frame.kind <= 2) {
          listener.message(frame.kind === 1 ? new TextDecoder().decode(frame.data) : frame.data);
        }
      });
      let done = false;
      const finish = (code: number, reason: string) => {
        if (done) return;
        done = true;
        listener.closed(code, reason);
      };
      const take = (data: Uint8Array) => {
        try {
          frames.take(data);
        } catch (error) {
          stream.destroy();
          finish(1002, String(error));
        }
      };
      stream.on("error", () => finish(1006, "the connection broke"));
      stream.on("close", () => finish(1006, "the connection broke"));
      stream.on("data", take);
      if (first.length > 0) take(first);
      resolve({
        send: (data) => {
          const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
          if (!stream.destroyed) stream.write(encodeFrame(typeof data === "string" ? 1 : 2, bytes));
        },
        close: () => {
          if (!stream.destroyed) stream.end(encodeFrame(8, new Uint8Array([3, 232])));
          stream.destroySoon?.();
          finish(1000, "");
        },
      });
    });
    asked.end();
  });
}

interface Frame {
  kind: number;
  data: Uint8Array;
}

/** A whole message of a client: masked, as the protocol wants it. */
function encodeFrame(kind: number, data: Uint8Array): Uint8Array {
  const size = data.length;
  const extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
  const frame = new Uint8Array(6 + extra + size);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | kind;
  frame[1] = 0x80 | (extra === 0 ? size : extra === 2 ? 126 : 127);
  if (extra === 2) view.setUint16(2, size);
  if (extra === 8) view.setBigUint64(2, BigInt(size));
  const mask = crypto.getRandomValues(new Uint8Array(4));
  frame.set(mask, 2 + extra);
  for (let i = 0; i < size; i++) frame[6 + extra + i] = (data[i] ?? 0) ^ (mask[i % 4] ?? 0);
  return frame;
}

/** Messages out of bytes of a server. */
class Frames {
  private rest = new Uint8Array(0);
  private parts: Frame | undefined;

  constructor(private readonly take_: (frame: Frame) => void) {}

  take(bytes: Uint8Array): void {
    const all = new Uint8Array(this.rest.length + bytes.length);
    all.set(this.rest);
    all.set(bytes, this.rest.length);
    let at = 0;
    for (;;) {
      const used = this.one(all.subarray(at));
      if (used === 0) break;
      at += used;
    }
    this.rest = all.slice(at);
  }

  /** How many bytes the first frame has; 0 when it is not whole. */
  private one(bytes: Uint8Array): number {
    if (bytes.length < 2) return 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let size = view.getUint8(1) & 127;
    let head = 2;
    if (size === 126) {
      if (bytes.length < 4) return 0;
      size = view.getUint16(2);
      head = 4;
    } else if (size === 127) {
      if (bytes.length < 10) return 0;
      size = Number(view.getBigUint64(2));
      head = 10;
    }
    if (size > MOST || (this.parts?.data.length ?? 0) + size > MOST) throw new Error("a message is larger than 16 MiB");
    if (view.getUint8(1) & 128) throw new Error("a server must not mask");
    if (bytes.length < head + size) return 0;
    const kind = view.getUint8(0) & 15;
    const isLast = (view.getUint8(0) & 128) !== 0;
    const data = bytes.slice(head, head + size);
    if (kind >= 8) {
      this.take_({ kind, data });
    } else {
      const before = this.parts;
      const whole = before ? { kind: before.kind, data: concat(before.data, data) } : { kind, data };
      this.parts = isLast ? undefined : whole;
      if (isLast) this.take_(whole);
    }
    return head + size;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
