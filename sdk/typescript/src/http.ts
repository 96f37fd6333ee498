import { ConnectionFailedError, DeadlineExceededError, errorOf, InvalidRequestError, type SandboxError } from "./errors.js";

export type Query = Record<string, string | number | boolean | string[] | undefined>;
export type Body = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: Query | undefined;
  headers?: Record<string, string> | undefined;
  /** A value to send as JSON. */
  json?: unknown;
  /** Bytes to send; a function makes them anew for each attempt. */
  body?: Body | (() => Body) | undefined;
  signal?: AbortSignal | undefined;
  /** Seconds until the head of the answer is there; 0: no limit. */
  timeout?: number | undefined;
  /** Whether a repetition does no harm. Absent: unless it is a POST without an idempotency key. */
  repeatable?: boolean | undefined;
  /** Statuses that are an answer, not an error. */
  accept?: (status: number) => boolean;
}

export interface TransportOptions {
  url: string;
  headers: Record<string, string>;
  fetch: typeof fetch;
  timeout: number;
  retries: number;
}

const LONGEST_WAIT = 60; // seconds; a server that asks for more is told to the caller
const FIRST_WAIT = 0.25;
const MOST_WAIT = 8;

/** Waits; ends early with the signal's reason. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that follows another and a deadline, and can be let go of without leaving a listener behind. */
export class Limit {
  readonly controller = new AbortController();
  expired = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly follow = () => this.controller.abort(this.outer?.reason);

  constructor(
    private readonly outer: AbortSignal | undefined,
    private readonly seconds: number,
    private readonly kind: "request" | "deadline" = "request",
  ) {
    if (outer?.aborted) this.controller.abort(outer.reason);
    outer?.addEventListener("abort", this.follow, { once: true });
    if (seconds > 0 && seconds < 2_000_000) {
      this.timer = setTimeout(() => {
        this.expired = true;
        this.controller.abort(this.error());
      }, seconds * 1000);
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The head is there: what follows may take its time. */
  endTimer(): void {
    clearTimeout(this.timer);
  }

  release(): void {
    this.endTimer();
    this.outer?.removeEventListener("abort", this.follow);
  }

  error(): SandboxError {
    return this.kind === "deadline"
      ? new DeadlineExceededError(`not done within ${this.seconds} seconds; what runs goes on`, { code: "deadline_exceeded" })
      : new ConnectionFailedError(`no answer within ${this.seconds} seconds`, { code: "connection_failed" });
  }
}

/** Does something within the caller's deadline. */
export async function within<T>(
  options: { signal?: AbortSignal | undefined; deadline?: number | undefined }, work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (options.deadline === undefined) return work(options.signal);
  const limit = new Limit(options.signal, options.deadline, "deadline");
  try {
    return await work(limit.signal);
  } catch (error) {
    throw limit.expired ? limit.error() : error;
  } finally {
    limit.release();
  }
}

export function backoff(attempt: number): number {
  const most = Math.min(MOST_WAIT, FIRST_WAIT * 2 ** attempt);
  return most * (0.5 + Math.random() / 2);
}

export function newKey(): string {
  return crypto.randomUUID();
}

/** A path for a URL. What leads up would change the URL itself, so it does not get as far as the server. */
export function encodePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== ".");
  if (parts.includes("..")) {
    throw new InvalidRequestError(`".." is not allowed in the path ${path}`, { code: "invalid_argument", status: 400 });
  }
  return parts.map(encodeURIComponent).join("/");
}

function withQuery(path: string, query: Query | undefined): string {
  if (!query) return path;
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parts.append(name, String(one));
  }
  const text = parts.toString();
  return text ? `${path}?${text}` : path;
}

/** An answer whose body is still to be read, and what holds its connection. */
export interface Answer {
  response: Response;
  limit: Limit;
}

/** Requests with deadlines, retries and typed errors. */
export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** The head of an answer; whoever asked reads the body and releases `limit`. */
  async open(call: Call): Promise<Answer> {
    const limit = new Limit(call.signal, call.timeout ?? this.options.timeout);
    try {
      const response = await this.attempts(call, limit);
      limit.endTimer();
      return { response, limit };
    } catch (error) {
      limit.release();
      throw error;
    }
  }

  async text(call: Call): Promise<string> {
    return this.read(call, (response) => response.text());
  }

  async bytes(call: Call): Promise<Uint8Array> {
    return this.read(call, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  async json<T>(call: Call): Promise<T> {
    return (await this.answer<T>(call)).body;
  }

  /** Status and body; a body that is not there is undefined. */
  async answer<T>(call: Call): Promise<{ status: number; body: T }> {
    return this.read(call, async (response) => {
      const text = await response.text();
      return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
    });
  }

  async nothing(call: Call): Promise<void> {
    await this.text(call);
  }

  /** Reads the body within the same deadline; a connection that breaks in the middle is tried again like one that broke before. */
  private async read<T>(call: Call, take: (response: Response) => Promise<T>): Promise<T> {
    const limit = new Limit(call.signal, call.timeout ?? this.options.timeout);
    try {
      for (let attempt = 0; ; attempt++) {
        const response = await this.attempts(call, limit);
        try {
          return await take(response);
        } catch (error) {
          await this.pauseAfter(error, call, limit, attempt);
        }
      }
    } finally {
      limit.release();
    }
  }

  private async attempts(call: Call, limit: Limit): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      let refusal: SandboxError | undefined;
      try {
        const response = await this.once(call, limit.signal);
        if (response.ok || call.accept?.(response.status)) return response;
        refusal = errorOf(response.status, response.headers, await response.text(), call.path);
      } catch (error) {
        await this.pauseAfter(error, call, limit, attempt);
        continue;
      }
      await this.pauseAfterRefusal(refusal, call, limit, attempt);
    }
  }

  private once(call: Call, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { ...this.options.headers, ...call.headers };
    let body: Body | undefined;
    if (call.json !== undefined) {
      body = JSON.stringify(call.json);
      headers["content-type"] = "application/json";
    } else if (call.body !== undefined) {
      body = typeof call.body === "function" ? call.body() : call.body;
      headers["content-type"] ??= "application/octet-stream";
    }
    const init: RequestInit & { duplex?: "half" } = { method: call.method, headers, signal };
    if (body !== undefined) init.body = body as BodyInit;
    if (body instanceof ReadableStream) init.duplex = "half";
    return this.options.fetch(this.options.url + withQuery(call.path, call.query), init);
  }

  private isRepeatable(call: Call): boolean {
    if (call.body instanceof ReadableStream) return false;
    return call.repeatable ?? (call.method !== "POST" || call.headers?.["idempotency-key"] !== undefined);
  }

  /** Throws what the caller is to see, or waits for the next attempt. */
  private async pauseAfter(error: unknown, call: Call, limit: Limit, attempt: number): Promise<void> {
    if (limit.signal.aborted) throw limit.expired ? limit.error() : limit.signal.reason;
    if (attempt >= this.options.retries || !(this.isRepeatable(call) || isRefused(error))) {
      throw connectionError(error, this.options.url);
    }
    await this.pause(backoff(attempt), limit);
  }

  private async pauseAfterRefusal(error: SandboxError, call: Call, limit: Limit, attempt: number): Promise<void> {
    const mayHelp =
      (error.status === 429 && error.code !== "quota_exceeded") || error.status === 503 ||
      ((error.status === 502 || error.status === 504) && this.isRepeatable(call)) ||
      // The first request with this key still runs; its answer is the one that is wanted.
      (error.status === 409 && attempt > 0 && call.headers?.["idempotency-key"] !== undefined);
    const wait = error.retryAfter ?? backoff(attempt);
    if (!mayHelp || attempt >= this.options.retries || call.body instanceof ReadableStream || wait > LONGEST_WAIT) throw error;
    await this.pause(wait, limit);
  }

  private async pause(seconds: number, limit: Limit): Promise<void> {
    try {
      await sleep(seconds, limit.signal);
    } catch (error) {
      throw limit.expired ? limit.error() : error;
    }
  }
}

function causeCode(error: unknown): string {
  for (let one = error; typeof one === "object" && one !== null; one = (one as { cause?: unknown }).cause) {
    const code = (one as { code?: unknown }).code;
    if (typeof code === "string") return code;
    const errors = (one as { errors?: unknown[] }).errors;
    if (Array.isArray(errors) && errors[0]) return causeCode(errors[0]);
  }
  return "";
}

/** Nothing of the request reached a server. */
function isRefused(error: unknown): boolean {
  return ["ECONNREFUSED", "ConnectionRefused", "ENOTFOUND", "EAI_AGAIN"].includes(causeCode(error));
}

function isOnPage(): boolean {
  return typeof (globalThis as { document?: unknown }).document === "object";
}

export function connectionError(error: unknown, url: string): ConnectionFailedError {
  const why = causeCode(error) || (error instanceof Error ? error.message : String(error));
  const sentence = isRefused(error) || why === "ECONNREFUSED"
    ? `no server answers at ${url} (${why}); start one with \`atoll serve\`, or name it by the option url or ATOLL_URL`
    : `the connection to ${url} failed (${why}); ${isOnPage() ? "a browser says no more: is" : "is"} it an Atoll server?`
      + (isOnPage() ? " Does its server.corsOrigins list the origin of this page?" : " Start one with `atoll serve`, or name it by ATOLL_URL");
  return new ConnectionFailedError(sentence, { code: "connection_failed", cause: error });
}
