import { SandboxError } from "./errors.js";
import { sleep, type Transport } from "./http.js";

/** What lets a browser see a port. */
export interface Preview {
  token: string;
  urls: string[];
  expires_at: string;
}

/** A server inside the sandbox; it is reached through the API, also without network. */
export class Port {
  constructor(
    private readonly transport: Transport,
    private readonly sandboxId: string,
    readonly number: number,
  ) {}

  /** For programs, with `headers`. */
  get url(): string {
    return `${this.transport.options.url}/api/v1/sessions/${this.sandboxId}/proxy/${this.number}/`;
  }

  /** What requests to `url` carry. */
  get headers(): Record<string, string> {
    return { ...this.transport.options.headers };
  }

  /** A request to the port; whatever it answers is the answer, 502 when nobody does. */
  fetch(path = "/", init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.headers)) if (!headers.has(name)) headers.set(name, value);
    return this.transport.options.fetch(this.url + path.replace(/^\//, ""), { redirect: "manual", ...init, headers });
  }

  /** Waits until something answers. */
  async ready(options: { timeout?: number; path?: string; signal?: AbortSignal } = {}): Promise<this> {
    const end = Date.now() + (options.timeout ?? 60) * 1000;
    for (;;) {
      const answer = await this.fetch(options.path ?? "/", options.signal ? { signal: options.signal } : {});
      await answer.body?.cancel();
      if (answer.status !== 502 && answer.status !== 503) return this;
      if (Date.now() > end) {
        throw new SandboxError(`nothing answers at port ${this.number}`, { code: "deadline_exceeded", status: answer.status });
      }
      await sleep(0.05, options.signal);
    }
  }

  /** URLs that open the port in a browser; valid for `ttl` seconds, 300 if absent. */
  preview(options: { ttl?: number; signal?: AbortSignal } = {}): Promise<Preview> {
    return this.transport.json({
      method: "POST", path: `/api/v1/sessions/${this.sandboxId}/ports/${this.number}/token`,
      json: { ttl: options.ttl }, signal: options.signal, repeatable: true,
    });
  }
}
