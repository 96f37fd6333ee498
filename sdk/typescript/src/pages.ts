import type { Query, Transport } from "./http.js";

/** All elements of a list that comes in pages; the next page is asked for when it is needed. */
export async function* pages<T>(transport: Transport, path: string, name: string, query: Query): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page: Record<string, unknown> = await transport.json({ method: "GET", path, query: { ...query, cursor } });
    yield* page[name] as T[];
    cursor = (page["next_cursor"] as string | null) ?? undefined;
  } while (cursor !== undefined);
}
