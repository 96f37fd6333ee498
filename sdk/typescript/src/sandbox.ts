import type { Atoll, ClientOptions, CreateOptions } from "./client.js";
import {
  executeBody, Execution, ExecutionStream, RunningExecution, runToEnd, WAIT,
  type RunOptions, type StartOptions, type Work,
} from "./execution.js";
import { Files } from "./files.js";
import { newKey, within, type Transport } from "./http.js";
import type { Context as ContextBody, Diagnostics, Execution as ExecutionBody, NetworkPolicy, Process, Session, SessionNetwork,
  SessionState, Snapshot, Usage } from "./models.js";
import { pages } from "./pages.js";
import { Port } from "./ports.js";
import { Terminal, type TerminalOptions } from "./terminal.js";

/** What a session is changed to. */
export interface ChangeOptions {
  labels?: Record<string, string>;
  metadata?: Record<string, unknown>;
  timeout?: number;
  idleTimeout?: number;
}

/** An interpreter that keeps its variables. */
export class Context implements AsyncDisposable {
  constructor(
    private readonly sandbox: Sandbox,
    readonly raw: ContextBody,
  ) {}

  get id(): string {
    return this.raw.id;
  }
  get language(): string {
    return this.raw.language;
  }

  /** Runs code; `result` of the execution is the value of its last expression. */
  run(code: string, options: Omit<RunOptions, "context" | "language"> = {}): Promise<Execution> {
    return this.sandbox.run(code, { ...options, context: this.id });
  }

  stream(code: string, options: Omit<StartOptions, "context" | "language"> = {}): ExecutionStream {
    return this.sandbox.stream(code, { ...options, context: this.id });
  }

  /** Ends it; what it holds is gone. */
  close(): Promise<void> {
    return this.sandbox.closeContext(this.id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A sandbox: files, processes and interpreters that live until it ends. */
export class Sandbox implements AsyncDisposable {
  readonly files: Files;

  constructor(
    private readonly transport: Transport,
    /** The session as the server last told it. */
    public info: Session,
  ) {
    this.files = new Files(transport, info.id);
  }

  /** A new sandbox on the server of the environment, or of the options. */
  static async create(options: CreateOptions & { client?: Atoll | ClientOptions } = {}): Promise<Sandbox> {
    const { client, ...rest } = options;
    const { Atoll: Client } = await import("./client.js");
    return (client instanceof Client ? client : new Client(client)).create(rest);
  }

  get id(): string {
    return this.info.id;
  }
  get status(): SessionState {
    return this.info.status;
  }
  private get path(): string {
    return `/api/v1/sessions/${encodeURIComponent(this.info.id)}`;
  }

  /** Runs code or a command to its end. */
  run(work: Work, options: RunOptions = {}): Promise<Execution> {
    return runToEnd(this.transport, `${this.path}/execute`, work, options);
  }

  /** A command: a string for a shell, a list for a program and its arguments. */
  exec(command: string | readonly string[], options: RunOptions = {}): Promise<Execution> {
    return this.run({ command }, options);
  }

  /** As `run`; the text that an agent's tool hands on: output, errors and exit code, cut at 10,000 characters. */
  async runText(work: Work, options: Omit<RunOptions, "check"> = {}): Promise<string> {
    const headers = { prefer: "wait", accept: "text/plain", "idempotency-key": options.idempotencyKey ?? newKey() };
    return within(options, (signal) => this.transport.text({
      method: "POST", path: `${this.path}/execute`, json: executeBody(work, options), signal, timeout: 0, headers,
    }));
  }

  /** Begins something and comes back at once. */
  async start(work: Work, options: StartOptions = {}): Promise<RunningExecution> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newKey() };
    const body = await within(options, (signal) => this.transport.json<ExecutionBody>({
      method: "POST", path: `${this.path}/execute`, json: executeBody(work, options), signal, headers,
    }));
    return new RunningExecution(this.transport, body);
  }

  /** Begins something and tells its events as they come. */
  stream(work: Work, options: StartOptions = {}): ExecutionStream {
    const body = executeBody(work, options);
    const key = options.idempotencyKey ?? newKey();
    return new ExecutionStream(this.transport, { path: `${this.path}/execute`, body, key }, undefined, options);
  }

  /** An execution of this server by its id. */
  async execution(id: string): Promise<RunningExecution> {
    return new RunningExecution(
      this.transport, await this.transport.json({ method: "GET", path: `/api/v1/executions/${encodeURIComponent(id)}` }));
  }

  /** What ran here, newest first. */
  async *results(options: { output?: boolean; pageSize?: number } = {}): AsyncGenerator<Execution, void> {
    const query = { output: options.output, limit: options.pageSize };
    for await (const one of pages<ExecutionBody>(this.transport, `${this.path}/results`, "results", query)) yield new Execution(one);
  }

  async openContext(options: { language?: string; cwd?: string; env?: Record<string, string> } = {}): Promise<Context> {
    return new Context(this, await this.transport.json<ContextBody>({
      method: "POST", path: `${this.path}/contexts`, json: options, headers: { "idempotency-key": newKey() },
    }));
  }

  async contexts(): Promise<Context[]> {
    const { contexts } = await this.transport.json<{ contexts: ContextBody[] }>({ method: "GET", path: `${this.path}/contexts` });
    return contexts.map((one) => new Context(this, one));
  }

  closeContext(id: string): Promise<void> {
    return this.transport.nothing({ method: "DELETE", path: `${this.path}/contexts/${encodeURIComponent(id)}` });
  }

  terminal(options: TerminalOptions = {}): Promise<Terminal> {
    return Terminal.open(this.transport, `${this.path}/pty`, options);
  }

  port(number: number): Port {
    return new Port(this.transport, this.id, number);
  }

  /** Asks the server anew; `info` is what it said. */
  async refresh(options: { signal?: AbortSignal } = {}): Promise<Session> {
    return this.take(this.transport.json({ method: "GET", path: this.path, signal: options.signal }));
  }

  change(options: ChangeOptions): Promise<Session> {
    const config = options.timeout === undefined && options.idleTimeout === undefined
      ? undefined : { timeout_seconds: options.timeout, idle_timeout_seconds: options.idleTimeout };
    return this.take(this.transport.json({
      method: "PATCH", path: this.path, json: { labels: options.labels, metadata: options.metadata, config },
    }));
  }

  /** Stops everything where it is. */
  pause(): Promise<Session> {
    return this.take(this.transport.json({ method: "POST", path: `${this.path}/pause` }));
  }
  resume(): Promise<Session> {
    return this.take(this.transport.json({ method: "POST", path: `${this.path}/resume` }));
  }
  /** Its end is so many seconds from now; the lifetime that it was made with, if absent. */
  renew(seconds?: number): Promise<Session> {
    return this.take(this.transport.json({ method: "POST", path: `${this.path}/renew`, json: { seconds }, repeatable: true }));
  }

  runningNow(): Promise<{ session_id: string; status: SessionState; running: string[]; last_execution: string | null }> {
    return this.transport.json({ method: "GET", path: `${this.path}/status` });
  }
  /** How it ended, what was done in it, and the end of what its programs printed. Also after its end. */
  diagnostics(): Promise<Diagnostics> {
    return this.transport.json({ method: "GET", path: `${this.path}/diagnostics` });
  }
  usage(): Promise<Usage> {
    return this.transport.json({ method: "GET", path: `${this.path}/usage` });
  }
  async processes(): Promise<Process[]> {
    return (await this.transport.json<{ processes: Process[] }>({ method: "GET", path: `${this.path}/processes` })).processes;
  }
  network(): Promise<SessionNetwork> {
    return this.transport.json({ method: "GET", path: `${this.path}/network` });
  }
  setNetwork(policy: NetworkPolicy): Promise<SessionNetwork> {
    return this.transport.json({ method: "PUT", path: `${this.path}/network`, json: policy });
  }

  /** Keeps the workspace and /tmp for new sandboxes: `create({snapshot: id})`. */
  snapshot(name?: string, options: { idempotencyKey?: string; signal?: AbortSignal } = {}): Promise<Snapshot> {
    return this.transport.json({
      method: "POST", path: `${this.path}/snapshots`, json: { name }, signal: options.signal, timeout: WAIT * 5,
      headers: { "idempotency-key": options.idempotencyKey ?? newKey() },
    });
  }

  /** Ends it; everything of it is gone when this is done. Once more does no harm. */
  end(options: { signal?: AbortSignal } = {}): Promise<void> {
    return this.transport.nothing({ method: "DELETE", path: this.path, signal: options.signal });
  }

  /** `await using` ends it; a sandbox that is gone already is no error. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  toJSON(): Session {
    return this.info;
  }

  private async take(answer: Promise<Session>): Promise<Session> {
    this.info = await answer;
    return this.info;
  }
}
