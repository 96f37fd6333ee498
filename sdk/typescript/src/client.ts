import { EventStream, type LifeEvent } from "./events.js";
import { Execution, executeBody, type RunOptions, type Work } from "./execution.js";
import { newKey, sleep, Transport, within, type Query } from "./http.js";
import { mapSandboxes, type MapOptions } from "./map.js";
import type { AuditAction, AuditRow, Execution as ExecutionBody, Judgement, Key, NetworkPolicy, Resources, Role, Runtime, Secret,
  Session, SessionState, Snapshot, Template, TemplateBody } from "./models.js";
import { pages } from "./pages.js";
import { Sandbox } from "./sandbox.js";

export interface ClientOptions {
  /** Absent: ATOLL_URL, else http://127.0.0.1:8080. */
  url?: string;
  /** Absent: ATOLL_API_KEY. */
  apiKey?: string;
  /** For owners: act for this tenant. */
  tenant?: string;
  /** Seconds until an answer begins; 60 if absent. */
  timeout?: number;
  /** How often a request is repeated that may be repeated; 3 if absent. */
  retries?: number;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

export interface CreateOptions {
  template?: string;
  /** The same key gives the same live sandbox. */
  sessionKey?: string;
  /** Lifetime in seconds. */
  timeout?: number;
  idleTimeout?: number;
  env?: Record<string, string>;
  labels?: Record<string, string>;
  metadata?: Record<string, unknown>;
  allowNetwork?: boolean;
  network?: NetworkPolicy;
  resources?: Resources;
  /** Id of a snapshot to begin with. */
  snapshot?: string;
  /** false: do not wait until it is ready. */
  wait?: boolean;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface ListOptions {
  labels?: Record<string, string>;
  status?: SessionState | SessionState[];
  template?: string;
  sessionKey?: string;
  pageSize?: number;
}

const WAIT = 60;

function environment(name: string): string | undefined {
  const process = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process;
  try {
    return process?.env?.[name] || undefined;
  } catch {
    return undefined; // Deno without the permission
  }
}

/** A server, and everything that can be asked of it. */
export class Atoll {
  readonly transport: Transport;
  readonly templates: Templates;
  readonly snapshots: Snapshots;
  readonly secrets: Secrets;
  readonly keys: Keys;

  constructor(options: ClientOptions = {}) {
    const url = (options.url ?? environment("ATOLL_URL") ?? "http://127.0.0.1:8080").replace(/\/+$/, "");
    const apiKey = options.apiKey ?? environment("ATOLL_API_KEY");
    const headers: Record<string, string> = { ...options.headers };
    if (apiKey) headers["authorization"] = `Bearer ${apiKey}`;
    if (options.tenant) headers["atoll-tenant"] = options.tenant;
    this.transport = new Transport({
      url, headers,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timeout: options.timeout ?? 60,
      retries: options.retries ?? 3,
    });
    this.templates = new Templates(this.transport);
    this.snapshots = new Snapshots(this.transport);
    this.secrets = new Secrets(this.transport);
    this.keys = new Keys(this.transport);
  }

  /** A sandbox; ready unless `wait` is false. */
  async create(options: CreateOptions = {}): Promise<Sandbox> {
    const config = {
      timeout_seconds: options.timeout, idle_timeout_seconds: options.idleTimeout, environment: options.env,
      allow_network: options.allowNetwork, network: options.network, resources: options.resources,
    };
    const isConfigured = Object.values(config).some((value) => value !== undefined);
    const wait = options.wait ?? true;
    const headers: Record<string, string> = { "idempotency-key": options.idempotencyKey ?? newKey() };
    if (wait) headers["prefer"] = `wait=${WAIT}`;
    const body = await this.transport.json<Session>({
      method: "POST", path: "/api/v1/sessions", headers, signal: options.signal, timeout: WAIT + this.transport.options.timeout,
      json: {
        template_id: options.template, session_key: options.sessionKey, labels: options.labels, metadata: options.metadata,
        snapshot_id: options.snapshot, config: isConfigured ? config : undefined,
      },
    });
    const sandbox = new Sandbox(this.transport, body);
    while (wait && sandbox.status === "creating") {
      await sleep(0.1, options.signal);
      await sandbox.refresh(options.signal ? { signal: options.signal } : {});
    }
    return sandbox;
  }

  /** A sandbox that exists. */
  async connect(id: string, options: { signal?: AbortSignal } = {}): Promise<Sandbox> {
    return new Sandbox(this.transport, await this.transport.json<Session>({
      method: "GET", path: `/api/v1/sessions/${encodeURIComponent(id)}`, signal: options.signal,
    }));
  }

  /** Sandboxes, newest first. */
  async *list(options: ListOptions = {}): AsyncGenerator<Sandbox, void> {
    const query: Query = {
      status: options.status === undefined ? undefined : [options.status].flat().join(","),
      template: options.template, session_key: options.sessionKey, limit: options.pageSize,
      label: Object.entries(options.labels ?? {}).map(([name, value]) => `${name}=${value}`),
    };
    for await (const one of pages<Session>(this.transport, "/api/v1/sessions", "sessions", query)) yield new Sandbox(this.transport, one);
  }

  /** Ends the live sandbox of a key, if there is one. Its files stay. */
  endByKey(sessionKey: string): Promise<void> {
    return this.transport.nothing({ method: "DELETE", path: "/api/v1/sessions", query: { session_key: sessionKey } });
  }

  /** Runs something in a sandbox of its own, which ends with it. */
  async runOnce(work: Work, options: RunOptions & { template?: string } = {}): Promise<Execution> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newKey() };
    const done = new Execution(await within(options, (signal) => this.transport.json<ExecutionBody>({
      method: "POST", path: "/api/v1/run", json: { ...executeBody(work, options), template_id: options.template },
      headers, signal, timeout: 0,
    })));
    return options.check ? done.check() : done;
  }

  /**
   * Does something for every item in a sandbox of its own, `parallel` at a time (10 if absent); the results are in the
   * order of the items. The first failure ends the rest and is thrown; no sandbox is left behind.
   */
  map<T, R>(
    items: Iterable<T>, work: (sandbox: Sandbox, item: T, index: number) => Promise<R>, options: MapOptions = {},
  ): Promise<R[]> {
    return mapSandboxes(this, items, work, options);
  }

  health(): Promise<{ status: string; version?: string }> {
    return this.transport.json({ method: "GET", path: "/api/v1/health" });
  }
  ready(): Promise<{ status: string; recovering: number }> {
    return this.transport.json({ method: "GET", path: "/api/v1/ready" });
  }
  /** How risky code looks; nothing is run. */
  checkPolicy(code: string, options: { language?: string; signal?: AbortSignal } = {}): Promise<Judgement> {
    return this.transport.json({
      method: "POST", path: "/api/v1/policy/check", json: { code, language: options.language ?? "python" }, signal: options.signal,
      repeatable: true,
    });
  }
  metrics(): Promise<string> {
    return this.transport.text({ method: "GET", path: "/api/v1/metrics" });
  }
  backends(): Promise<{ default: string; backends: Backend[] }> {
    return this.transport.json({ method: "GET", path: "/api/v1/backends" });
  }
  async runtimes(): Promise<Runtime[]> {
    return (await this.transport.json<{ runtimes: Runtime[] }>({ method: "GET", path: "/api/v1/runtimes" })).runtimes;
  }
  /** Who did what, newest first (admin). */
  audit(options: { action?: AuditAction; sessionId?: string; keyId?: string; since?: Date; until?: Date; pageSize?: number } = {}):
  AsyncGenerator<AuditRow, void> {
    return pages(this.transport, "/api/v1/audit", "audit", {
      action: options.action, session_id: options.sessionId, key_id: options.keyId,
      since: options.since?.toISOString(), until: options.until?.toISOString(), limit: options.pageSize,
    });
  }
  /** Sessions and executions as they begin, change and end, from now on. */
  events(options: { signal?: AbortSignal } = {}): Promise<EventStream<LifeEvent>> {
    return EventStream.open<LifeEvent>(this.transport, "/api/v1/events", {}, { signal: options.signal });
  }
}

export interface Backend {
  name: string;
  status: string;
  isolation: string;
  capabilities: string[];
  available: boolean;
  reason: string | null;
}

class Resource {
  constructor(protected readonly transport: Transport) {}
  protected get<T>(path: string): Promise<T> {
    return this.transport.json<T>({ method: "GET", path });
  }
  protected drop(path: string): Promise<void> {
    return this.transport.nothing({ method: "DELETE", path });
  }
}

/** What sandboxes are made from. */
export class Templates extends Resource {
  async list(): Promise<Template[]> {
    return (await super.get<{ templates: Template[] }>("/api/v1/templates")).templates;
  }
  override get<T = Template>(id: string): Promise<T> {
    return super.get<T>(`/api/v1/templates/${encodeURIComponent(id)}`);
  }
  create(body: TemplateBody): Promise<Template> {
    return this.transport.json({ method: "POST", path: "/api/v1/templates", json: body, headers: { "idempotency-key": newKey() } });
  }
  replace(id: string, body: TemplateBody): Promise<Template> {
    return this.transport.json({ method: "PUT", path: `/api/v1/templates/${encodeURIComponent(id)}`, json: body });
  }
  delete(id: string): Promise<void> {
    return this.drop(`/api/v1/templates/${encodeURIComponent(id)}`);
  }
}

/** File systems that were kept. */
export class Snapshots extends Resource {
  async list(): Promise<Snapshot[]> {
    return (await super.get<{ snapshots: Snapshot[] }>("/api/v1/snapshots")).snapshots;
  }
  override get<T = Snapshot>(id: string): Promise<T> {
    return super.get<T>(`/api/v1/snapshots/${encodeURIComponent(id)}`);
  }
  delete(id: string): Promise<void> {
    return this.drop(`/api/v1/snapshots/${encodeURIComponent(id)}`);
  }
}

/** Values that requests to certain hosts carry and that never enter a sandbox. Nobody reads them back. */
export class Secrets extends Resource {
  async list(): Promise<Secret[]> {
    return (await super.get<{ secrets: Secret[] }>("/api/v1/secrets")).secrets;
  }
  override get<T = Secret>(name: string): Promise<T> {
    return super.get<T>(`/api/v1/secrets/${encodeURIComponent(name)}`);
  }
  put(name: string, value: string): Promise<Secret> {
    return this.transport.json({ method: "PUT", path: `/api/v1/secrets/${encodeURIComponent(name)}`, json: { value } });
  }
  delete(name: string): Promise<void> {
    return this.drop(`/api/v1/secrets/${encodeURIComponent(name)}`);
  }
}

/** API keys. */
export class Keys extends Resource {
  async list(): Promise<Key[]> {
    return (await super.get<{ keys: Key[] }>("/api/v1/keys")).keys;
  }
  /** The answer alone holds `secret`. */
  create(options: { tenant?: string; role?: Role; name?: string } = {}): Promise<Key> {
    return this.transport.json({ method: "POST", path: "/api/v1/keys", json: options, headers: { "idempotency-key": newKey() } });
  }
  revoke(id: string): Promise<void> {
    return this.drop(`/api/v1/keys/${encodeURIComponent(id)}`);
  }
}
