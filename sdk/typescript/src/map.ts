import type { Atoll, CreateOptions } from "./client.js";
import { Limit } from "./http.js";
import type { Sandbox } from "./sandbox.js";

export interface MapOptions extends Omit<CreateOptions, "sessionKey" | "idempotencyKey" | "wait"> {
  parallel?: number;
}

export async function mapSandboxes<T, R>(
  client: Atoll, items: Iterable<T>, work: (sandbox: Sandbox, item: T, index: number) => Promise<R>, options: MapOptions,
): Promise<R[]> {
  const { parallel = 10, signal, ...create } = options;
  const all = [...items];
  const results = new Array<R>(all.length);
  const limit = new Limit(signal, 0);
  let next = 0;
  const worker = async () => {
    for (;;) {
      const index = next++;
      if (index >= all.length || limit.signal.aborted) return;
      const sandbox = await client.create({ ...create, signal: limit.signal });
      try {
        results[index] = await work(sandbox, all[index] as T, index);
      } finally {
        await sandbox.end();
      }
    }
  };
  const guarded = () => worker().catch((error: unknown) => {
    limit.controller.abort(error);
    throw error;
  });
  try {
    const ended = await Promise.allSettled(Array.from({ length: Math.max(1, Math.min(parallel, all.length)) }, guarded));
    if (ended.some((one) => one.status === "rejected")) throw limit.signal.reason;
    limit.signal.throwIfAborted();
    return results;
  } finally {
    limit.release();
  }
}
