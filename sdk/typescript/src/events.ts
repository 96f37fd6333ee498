import { SandboxError, StreamInterruptedError } from "./errors.js";
import { backoff, Limit, sleep, type Answer, type Query, type Transport } from "./http.js";
import { readEvents } from "./sse.js";

/** A change below a folder. `overflow`: more changed than could be told; look at the folder again. */
export interface FileEvent {
  type: "created" | "modified" | "removed" | "moved" | "overflow";
  path: string;
}

/** Something that happened to a session or an execution. */
export interface LifeEvent {
  type: string;
  session_id: string;
  status: string;
  timestamp: string;
  execution_id?: string;
  host?: string;
  port?: number;
  reason?: string;
}

const IDLE = 60;

/**
 * Events that go on until they are closed, or what they tell of is gone. A connection that breaks is made again:
 * behind the last event where events have ids; where they have none, `lost` says what may have been missed.
 */
export class EventStream<T> implements AsyncIterable<T>, AsyncDisposable {
  private readonly limit: Limit;
  private readonly iterator: AsyncGenerator<T, void>;

  private constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly query: Query,
    private readonly lost: (() => T) | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.limit = new Limit(signal, 0);
    this.iterator = this.events();
  }

  private first: Answer | undefined;
  private closed = false;

  /** There when the server has begun to tell. */
  static async open<T>(
    transport: Transport, path: string, query: Query, options: { signal?: AbortSignal | undefined; lost?: () => T },
  ): Promise<EventStream<T>> {
    const stream = new EventStream<T>(transport, path, query, options.lost, options.signal);
    stream.first = await stream.connect("");
    return stream;
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.iterator;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.limit.controller.abort();
    this.limit.release();
    this.first?.limit.release();
    await this.iterator.return().catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private connect(last: string): Promise<Answer> {
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (last) headers["last-event-id"] = last;
    return this.transport.open({ method: "GET", path: this.path, query: this.query, headers, signal: this.limit.signal });
  }

  private async *events(): AsyncGenerator<T, void> {
    let last = "";
    let failures = 0;
    for (;;) {
      let cause: unknown;
      let answer: Answer | undefined;
      try {
        answer = this.first ?? (await this.connect(last));
        this.first = undefined;
        for await (const event of readEvents(answer.response.body ?? new ReadableStream(), IDLE)) {
          failures = 0;
          last = event.id || last;
          const { event: type, ...rest } = JSON.parse(event.data) as { event: string };
          yield { type, ...rest } as T;
        }
        if (this.lost) return; // the server's own end: the folder or the sandbox is gone
      } catch (error) {
        if (this.closed) return;
        if (this.limit.signal.aborted) throw this.limit.signal.reason;
        if (error instanceof SandboxError && error.status !== undefined && error.status < 500) throw error;
        cause = error;
      } finally {
        answer?.limit.controller.abort();
        answer?.limit.release();
      }
      if (++failures > this.transport.options.retries) {
        throw new StreamInterruptedError("the events broke and could not be resumed", { code: "stream_interrupted", cause });
      }
      await sleep(backoff(failures - 1), this.limit.signal).catch(() => undefined);
      if (this.closed) return;
      if (cause !== undefined && this.lost) yield this.lost();
    }
  }
}
