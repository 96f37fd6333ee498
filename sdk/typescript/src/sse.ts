/** One server-sent event. */
export interface SseEvent {
  event: string;
  id: string;
  data: string;
}

const MOST = 64 * 1024 * 1024; // of one event

/** The events of a body, as they come. Comments are what keeps the connection alive. */
export async function* readEvents(body: ReadableStream<Uint8Array>, idle: number): AsyncGenerator<SseEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event: SseEvent = { event: "message", id: "", data: "" };
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await withIdle(reader.read(), idle);
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      let from = 0;
      for (let end = text.indexOf("\n", from); end >= 0; end = text.indexOf("\n", from)) {
        const line = text.slice(from, text.charCodeAt(end - 1) === 13 && end > from ? end - 1 : end);
        from = end + 1;
        if (line === "") {
          if (data.length > 0) yield { ...event, data: data.length === 1 ? (data[0] ?? "") : data.join("\n") };
          event = { event: "message", id: event.id, data: "" };
          data = [];
          continue;
        }
        const colon = line.indexOf(":");
        if (colon === 0) continue;
        const name = colon < 0 ? line : line.slice(0, colon);
        const content = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
        if (name === "data") data.push(content);
        else if (name === "event") event.event = content;
        else if (name === "id") event.id = content;
      }
      rest = text.slice(from);
      if (rest.length > MOST) throw new Error("an event of the server is larger than 64 MiB");
    }
  } finally {
    // Ends the connection where the consumer stopped early.
    await reader.cancel().catch(() => undefined);
  }
}

/** A connection that is silent for so long is gone: the server says something every 15 seconds. */
async function withIdle<T>(promise: Promise<T>, seconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${seconds} seconds`)), seconds * 1000);
  });
  try {
    return await Promise.race([promise, silent]);
  } finally {
    clearTimeout(timer);
  }
}
