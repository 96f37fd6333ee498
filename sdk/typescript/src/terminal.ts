import { ConnectionFailedError, DeadlineExceededError } from "./errors.js";
import type { Transport } from "./http.js";
import { connect, type Socket } from "./websocket.js";

export interface TerminalOptions {
  rows?: number;
  cols?: number;
  /** For the shell; a shell of its own, if absent. */
  command?: string;
  cwd?: string;
  signal?: AbortSignal;
}

export interface TerminalExit {
  exit_code: number | null;
  signal?: number | string | null;
}

const MOST = 16 * 1024 * 1024; // bytes that nobody has read

/** A terminal inside. Its output is iterated as bytes; closing it hangs up the program. */
export class Terminal implements AsyncIterable<Uint8Array>, AsyncDisposable {
  private socket: Socket | undefined;
  private chunks: Uint8Array[] = [];
  private waiting = 0;
  private status: TerminalExit | undefined;
  private failure: Error | undefined;
  private ended = false;
  private wake: (() => void)[] = [];
  private text = "";
  private readonly decoder = new TextDecoder();

  private constructor() {}

  static async open(transport: Transport, path: string, options: TerminalOptions): Promise<Terminal> {
    const terminal = new Terminal();
    const query = new URLSearchParams();
    for (const name of ["rows", "cols", "command", "cwd"] as const) {
      if (options[name] !== undefined) query.set(name, String(options[name]));
    }
    terminal.socket = await connect(transport, `${path}?${query}`, {
      message: (data) => terminal.take(data),
      closed: (code, reason) => terminal.finish(code, reason),
    }, options.signal);
    return terminal;
  }

  private take(data: Uint8Array | string): void {
    if (typeof data === "string") {
      const said = JSON.parse(data) as { exit?: TerminalExit };
      if (said.exit) this.status = said.exit;
      return;
    }
    this.waiting += data.length;
    this.chunks.push(data);
    if (this.waiting > MOST) {
      this.failure = new ConnectionFailedError("16 MiB of the terminal's output were not read", { code: "connection_failed" });
      this.socket?.close();
    }
    this.notify();
  }

  private finish(code: number, reason: string): void {
    this.ended = true;
    if (!this.status && code !== 1000 && !this.failure) {
      this.failure = new ConnectionFailedError(`the terminal was cut off: ${reason || code}`, { code: "connection_failed" });
    }
    this.notify();
  }

  private notify(): void {
    for (const wake of this.wake.splice(0)) wake();
  }

  private next(seconds?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = seconds === undefined ? undefined : setTimeout(
        () => reject(new DeadlineExceededError("the terminal did not say that in time", { code: "deadline_exceeded" })), seconds * 1000);
      this.wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  write(data: string | Uint8Array): void {
    this.socket?.send(typeof data === "string" ? new TextEncoder().encode(data) : data);
  }

  resize(rows: number, cols: number): void {
    this.socket?.send(JSON.stringify({ resize: { rows, cols } }));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk) {
        this.waiting -= chunk.length;
        yield chunk;
      } else if (this.ended) {
        if (this.failure) throw this.failure;
        return;
      } else {
        await this.next();
      }
    }
  }

  /** Reads up to and with a text; what follows stays for the next call. Not together with iteration. */
  async readUntil(text: string, options: { timeout?: number } = {}): Promise<string> {
    const end = Date.now() + (options.timeout ?? 60) * 1000;
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk) {
        this.waiting -= chunk.length;
        this.text += this.decoder.decode(chunk, { stream: true });
        continue;
      }
      const at = this.text.indexOf(text);
      if (at >= 0) {
        const found = this.text.slice(0, at + text.length);
        this.text = this.text.slice(at + text.length);
        return found;
      }
      if (this.ended) throw this.failure ?? new ConnectionFailedError(`the terminal ended without "${text}"`, { code: "connection_failed" });
      await this.next(Math.max(0, end - Date.now()) / 1000);
    }
  }

  /** The exit code, at the program's end. What it writes meanwhile is dropped. */
  async wait(): Promise<TerminalExit> {
    for await (const chunk of this) void chunk;
    return this.status ?? { exit_code: null };
  }

  async close(): Promise<void> {
    this.socket?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
