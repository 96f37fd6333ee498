import { SandboxExecutionError, SandboxError, StreamInterruptedError } from "./errors.js";
import { backoff, Limit, newKey, sleep, within, type Answer, type Transport } from "./http.js";
import type { Execution as ExecutionBody, ExecutionState } from "./models.js";
import { readEvents, type SseEvent } from "./sse.js";

/** What to run beside the code or command itself. Times are in seconds. */
export interface RunOptions {
  language?: string;
  /** Id of a context, or `default`. */
  context?: string;
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string | Uint8Array;
  /** When the server ends it; 300 for code and the server's default for commands, if absent. */
  timeout?: number;
  maxOutputBytes?: number;
  trackFiles?: boolean;
  idempotencyKey?: string;
  /** Throw SandboxExecutionError unless it ends with 0. */
  check?: boolean;
  /** How long this program waits; what runs goes on. */
  deadline?: number;
  signal?: AbortSignal;
}

export interface StartOptions extends Omit<RunOptions, "check"> {
  /** More input comes by `write`. */
  stdinOpen?: boolean;
}

/** Code in a template's language, or a command: a string for a shell, a list for a program and its arguments. */
export type Work = string | { code: string } | { command: string | readonly string[] };

/** One display of a context: MIME type to content. */
export class RichResult {
  constructor(
    readonly isResult: boolean,
    readonly data: Record<string, unknown>,
  ) {}

  get text(): string | undefined {
    return this.string("text/plain");
  }
  get html(): string | undefined {
    return this.string("text/html");
  }
  get json(): unknown {
    return this.data["application/json"];
  }
  /** The bytes of a picture. */
  get png(): Uint8Array | undefined {
    const text = this.string("image/png");
    return text === undefined ? undefined : fromBase64(text);
  }
  /** The data of a figure's axes and series, where the server could tell them. */
  get chart(): unknown {
    const value = this.data["application/vnd.atoll.chart+json"];
    return typeof value === "string" ? JSON.parse(value) : value;
  }
  private string(mime: string): string | undefined {
    const value = this.data[mime];
    return typeof value === "string" ? value : Array.isArray(value) ? value.join("") : undefined;
  }
}

/** How something ended, and what it wrote. `raw` is the body as the server sent it. */
export class Execution {
  constructor(readonly raw: ExecutionBody) {}

  get id(): string {
    return this.raw.execution_id;
  }
  get sandboxId(): string {
    return this.raw.session_id;
  }
  get state(): ExecutionState {
    return this.raw.state;
  }
  get exitCode(): number | null {
    return this.raw.exit_code;
  }
  get stdout(): string {
    return this.raw.stdout ?? "";
  }
  get stderr(): string {
    return this.raw.stderr ?? "";
  }
  /** Both, in order of arrival. */
  get output(): string {
    return this.raw.output ?? "";
  }
  /** The exact bytes, also where they are no UTF-8. */
  get stdoutBytes(): Uint8Array {
    return this.raw.stdout_b64 === undefined ? new TextEncoder().encode(this.stdout) : fromBase64(this.raw.stdout_b64);
  }
  get stderrBytes(): Uint8Array {
    return this.raw.stderr_b64 === undefined ? new TextEncoder().encode(this.stderr) : fromBase64(this.raw.stderr_b64);
  }
  get success(): boolean {
    return this.raw.success;
  }
  get timedOut(): boolean {
    return this.raw.timed_out;
  }
  get truncated(): boolean {
    return this.raw.truncated;
  }
  get durationMs(): number {
    return this.raw.duration_ms;
  }
  get error(): ExecutionBody["error"] {
    return this.raw.error;
  }
  get files(): ExecutionBody["files"] {
    return this.raw.files;
  }
  /** What a context displayed, the value of the last expression last. */
  get results(): RichResult[] {
    return (this.raw.result?.results ?? []).map((one) => new RichResult(one.is_result, one.data));
  }
  /** The last of `results`. */
  get result(): RichResult | undefined {
    return this.results.at(-1);
  }

  /** Itself, or SandboxExecutionError unless it ended with 0. */
  check(): this {
    if (this.raw.success) return this;
    const why = this.raw.error?.message ?? this.raw.error?.evalue;
    const tail = this.stderr.trim().split("\n").at(-1);
    throw new SandboxExecutionError(
      why ?? `it ended with ${this.exitCode ?? this.state}${tail ? `: ${tail}` : ""}`, this);
  }

  toJSON(): ExecutionBody {
    return this.raw;
  }
}

export type ExecutionEvent =
  | { type: "init"; executionId: string; sandboxId: string; state: ExecutionState }
  | { type: "stdout" | "stderr"; text: string; bytes: Uint8Array }
  | { type: "result"; result: RichResult }
  | { type: "error"; error: { code?: string; message?: string; ename?: string; evalue?: string; traceback?: string } }
  | { type: "complete"; execution: Execution };

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.replace(/\s/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

/** The body of an execute request. */
export function executeBody(work: Work, options: StartOptions): Record<string, unknown> {
  const what = typeof work === "string" ? { code: work } : work;
  const stdin = options.stdin;
  return {
    ...what,
    language: options.language,
    context: options.context,
    cwd: options.cwd,
    env: options.env,
    stdin: typeof stdin === "string" ? stdin : undefined,
    stdin_b64: stdin instanceof Uint8Array ? toBase64(stdin) : undefined,
    stdin_open: options.stdinOpen,
    timeout: options.timeout ?? ("code" in what ? CODE_TIMEOUT : undefined),
    max_output_bytes: options.maxOutputBytes,
    track_files: options.trackFiles,
  };
}

const CODE_TIMEOUT = 300;
const IDLE = 60; // seconds without a byte, of a server that says something every 15
/** How long one request waits for a result; what takes longer is followed as a stream. */
export const WAIT = 60;
const SLACK = 15;

function parse(event: SseEvent): ExecutionEvent | undefined {
  const data = JSON.parse(event.data) as Record<string, unknown>;
  switch (event.event) {
    case "init":
      return {
        type: "init",
        executionId: data["execution_id"] as string,
        sandboxId: data["session_id"] as string,
        state: data["state"] as ExecutionState,
      };
    case "stdout":
    case "stderr": {
      const text = data["text"] as string;
      const exact = data["b64"] as string | undefined;
      return {
        type: event.event,
        text,
        get bytes() {
          return exact === undefined ? new TextEncoder().encode(text) : fromBase64(exact);
        },
      };
    }
    case "result":
      return { type: "result", result: new RichResult(data["is_result"] as boolean, data["data"] as Record<string, unknown>) };
    case "error":
      return { type: "error", error: data };
    case "complete":
      return { type: "complete", execution: new Execution(data as unknown as ExecutionBody) };
  }
  return undefined; // of a newer server
}

/**
 * The events of an execution. A connection that breaks is made again behind the last event that came, so nothing is
 * lost or told twice; where that fails, StreamInterruptedError says so. Leaving the loop closes the connection, and
 * what runs goes on.
 */
export class ExecutionStream implements AsyncIterable<ExecutionEvent>, AsyncDisposable {
  /** Known once `init` came. */
  executionId: string | undefined;
  private iterator: AsyncGenerator<ExecutionEvent, void> | undefined;
  private readonly limit: Limit;

  constructor(
    private readonly transport: Transport,
    private readonly begin: { path: string; body: Record<string, unknown>; key: string } | undefined,
    executionId: string | undefined,
    options: { signal?: AbortSignal | undefined; deadline?: number | undefined } = {},
  ) {
    this.executionId = executionId;
    this.limit = new Limit(options.signal, options.deadline ?? 0, "deadline");
  }

  [Symbol.asyncIterator](): AsyncGenerator<ExecutionEvent, void> {
    this.iterator ??= this.events();
    return this.iterator;
  }

  /** Reads to the end; the execution as `complete` told it, without its output. */
  async complete(): Promise<Execution> {
    for await (const event of this) if (event.type === "complete") return event.execution;
    throw new StreamInterruptedError("the stream was left before its end", { code: "stream_interrupted" });
  }

  async close(): Promise<void> {
    await this.iterator?.return();
    this.limit.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async *events(): AsyncGenerator<ExecutionEvent, void> {
    let last = "";
    let failures = 0;
    try {
      for (;;) {
        let cause: unknown;
        try {
          const { response, limit } = await this.connect(last);
          try {
            for await (const event of readEvents(response.body ?? new ReadableStream(), IDLE)) {
              failures = 0;
              last = event.id || last;
              const parsed = parse(event);
              if (!parsed) continue;
              if (parsed.type === "init") this.executionId = parsed.executionId;
              yield parsed;
              if (parsed.type === "complete") return;
            }
          } finally {
            limit.controller.abort(); // lets go of the connection
            limit.release();
          }
        } catch (error) {
          this.throwIfOver(error, last);
          cause = error;
        }
        if (++failures > this.transport.options.retries) throw interrupted(last, cause);
        await sleep(backoff(failures - 1), this.limit.signal).catch((error: unknown) => this.throwIfOver(error, last));
      }
    } finally {
      this.limit.release();
    }
  }

  private connect(last: string): Promise<Answer> {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    const signal = this.limit.signal;
    if (this.executionId !== undefined) {
      if (last) headers["last-event-id"] = last;
      return this.transport.open({ method: "GET", path: `/api/v1/executions/${this.executionId}/stream`, headers, signal });
    }
    const { path, body, key } = this.begin ?? { path: "", body: {}, key: "" };
    headers["idempotency-key"] = key;
    return this.transport.open({ method: "POST", path, headers, json: body, signal });
  }

  /** What no further attempt can help. */
  private throwIfOver(error: unknown, last: string): void {
    if (this.limit.signal.aborted) throw this.limit.expired ? this.limit.error() : this.limit.signal.reason;
    if (!(error instanceof SandboxError) || error.status === undefined) return;
    if (last && error.status < 500 && error.status !== 429) throw interrupted(last, error);
    throw error;
  }
}

function interrupted(last: string, cause: unknown): SandboxError {
  const why = cause instanceof Error ? cause.message : "the connection was closed";
  return new StreamInterruptedError(
    `the stream broke ${last ? "and could not be resumed" : "before it began"} (${why}); the result is kept: get the execution`,
    { code: "stream_interrupted", cause });
}

/** Something that runs, or has run. */
export class RunningExecution {
  constructor(
    private readonly transport: Transport,
    readonly raw: ExecutionBody,
  ) {}

  get id(): string {
    return this.raw.execution_id;
  }

  /** As it is now, with its output so far. */
  async get(options: { signal?: AbortSignal } = {}): Promise<Execution> {
    return new Execution(
      await this.transport.json<ExecutionBody>({ method: "GET", path: `/api/v1/executions/${this.id}`, signal: options.signal }));
  }

  /** Its events from the beginning. */
  follow(options: { signal?: AbortSignal; deadline?: number } = {}): ExecutionStream {
    return new ExecutionStream(this.transport, undefined, this.id, options);
  }

  /** Waits for its end. */
  async wait(options: { signal?: AbortSignal; deadline?: number; check?: boolean } = {}): Promise<Execution> {
    await this.follow(options).complete();
    const done = await this.get(options.signal ? { signal: options.signal } : {});
    return options.check ? done.check() : done;
  }

  /** Interrupts it, and kills it when that does not help. */
  async cancel(options: { signal?: AbortSignal } = {}): Promise<void> {
    await this.transport.nothing({ method: "DELETE", path: `/api/v1/executions/${this.id}`, signal: options.signal });
  }

  /** Sends a signal, such as "TERM" or 15. */
  async signal(signal: string | number): Promise<void> {
    await this.transport.nothing({ method: "POST", path: `/api/v1/executions/${this.id}/signal`, json: { signal } });
  }

  /** Writes to its input; needs `stdinOpen`. */
  async write(data: string | Uint8Array, options: { close?: boolean; signal?: AbortSignal } = {}): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    await this.transport.nothing({
      method: "POST", path: `/api/v1/executions/${this.id}/stdin`, query: { close: options.close ? true : undefined },
      body: bytes, signal: options.signal, repeatable: false,
    });
  }

  /** No more input comes. */
  closeStdin(): Promise<void> {
    return this.write("", { close: true });
  }
}

/** Runs to the end: one request where it is short, else its stream is followed. */
export async function runToEnd(transport: Transport, path: string, work: Work, options: RunOptions): Promise<Execution> {
  const done = await within(options, async (signal) => {
    const { status, body } = await transport.answer<ExecutionBody>({
      method: "POST", path, json: executeBody(work, options), signal, timeout: WAIT + SLACK,
      headers: { prefer: `wait=${WAIT}`, "idempotency-key": options.idempotencyKey ?? newKey() },
    });
    if (status !== 202) return new Execution(body);
    return new RunningExecution(transport, body).wait(signal ? { signal } : {});
  });
  return options.check ? done.check() : done;
}
