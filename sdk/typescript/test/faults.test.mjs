// Servers and networks that misbehave, and callers that give up.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import * as sdk from "@atoll/sdk";
import { execution, json, problem, serving, session } from "./support.mjs";

const code = (wanted, kind) => (error) => {
  assert.ok(error instanceof kind, error?.stack);
  assert.equal(error.code, wanted);
  return true;
};

test("no server: the sentence says how to start one", async () => {
  const atoll = new sdk.Atoll({ url: process.env.ATOLL_DEAD_URL, retries: 0 });
  await assert.rejects(atoll.health(), (error) => code("connection_failed", sdk.ConnectionFailedError)(error) && error.message.includes("atoll serve"));
});

test("a wrong key is not tried again", () => serving((_, response) => {
  response.writeHead(401, { "content-type": "application/problem+json" });
  response.end(problem(401, "unauthenticated"));
}, async (atoll, seen) => {
  await assert.rejects(atoll.create(), code("unauthenticated", sdk.AuthenticationError));
  assert.equal(seen.length, 1);
  assert.equal(seen[0].headers.authorization, "Bearer k");
}));

test("429 with Retry-After is waited for, and the request keeps its key", () => serving((_, response, number) => {
  if (number === 3) return json(response, session, 201);
  response.writeHead(429, { "retry-after": number === 1 ? "0" : new Date().toUTCString() });
  response.end(problem(429, "resource_exhausted"));
}, async (atoll, seen) => {
  assert.equal((await atoll.create()).id, "s1");
  assert.equal(new Set(seen.map((one) => one.headers["idempotency-key"])).size, 1);
}));

test("a Retry-After that is too long is told", () => serving((_, response) => {
  response.writeHead(429, { "retry-after": "3600" });
  response.end(problem(429, "resource_exhausted"));
}, async (atoll, seen) => {
  await assert.rejects(atoll.health(), (error) => code("resource_exhausted", sdk.RateLimitError)(error) && error.retryAfter === 3600);
  assert.equal(seen.length, 1);
}));

test("a quota does not pass by waiting", () => serving((_, response) => {
  response.writeHead(429, {});
  response.end(JSON.stringify({ ...JSON.parse(problem(429, "quota_exceeded")), quota: "snapshots" }));
}, async (atoll, seen) => {
  await assert.rejects(atoll.create(), (error) => code("quota_exceeded", sdk.QuotaExceededError)(error) && error.quota === "snapshots");
  assert.equal(seen.length, 1);
}));

test("503 is tried again, then told", () => serving((_, response) => {
  response.writeHead(503, { "retry-after": "0" });
  response.end(problem(503, "no_available_runtime"));
}, async (atoll, seen) => {
  await assert.rejects(atoll.health(), code("no_available_runtime", sdk.ServerUnavailableError));
  assert.equal(seen.length, 3);
}));

test("an answer that is no problem document is an error of its status", () => serving((_, response) => {
  response.writeHead(500, { "content-type": "text/html" });
  response.end("<h1>oops</h1>");
}, (atoll) => assert.rejects(atoll.health(), code("unexpected_answer", sdk.ServerError))));

test("a connection that is closed without an answer is made again", () => serving((request, response, number) => {
  if (number < 3) return request.socket.destroy();
  json(response, execution);
}, async (atoll, seen) => {
  assert.equal((await atoll.runOnce("1")).id, "e1");
  assert.equal(seen.length, 3);
}));

test("what may not be repeated is not", () => serving((request, response) => {
  if (request.url.endsWith("/move")) return request.socket.destroy();
  json(response, session);
}, async (atoll, seen) => {
  const sandbox = await atoll.connect("s1");
  await assert.rejects(sandbox.files.move("a", "b"), code("connection_failed", sdk.ConnectionFailedError));
  assert.equal(seen.filter((one) => one.path.endsWith("/move")).length, 1);
}));

test("an answer that does not come in time", () => serving((_, response) => void response, async (atoll) => {
  const hurried = new sdk.Atoll({ url: atoll.transport.options.url, timeout: 0.05, retries: 2 });
  await assert.rejects(hurried.health(), code("connection_failed", sdk.ConnectionFailedError));
}));

test("an AbortSignal ends a request, and a wait between two", () => serving((_, response, number) => {
  if (number === 1) return void response;
  response.writeHead(503, { "retry-after": "50" });
  response.end(problem(503, "no_available_runtime"));
}, async (atoll) => {
  for (let i = 0; i < 2; i++) {
    const controller = new AbortController();
    const asked = atoll.connect("s1", { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 30);
    await assert.rejects(asked, /enough/);
  }
}));

const event = (name, id, data) => `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const begin = (response) => response.writeHead(200, { "content-type": "text/event-stream" });

test("a stream that is cut in the middle of an event goes on behind the last whole one", () => serving((request, response) => {
  if (request.url.endsWith("/s1")) return json(response, session);
  begin(response);
  if (request.method === "POST") {
    response.write(event("init", "1", { session_id: "s1", execution_id: "e1", state: "running" }) + event("stdout", "2", { text: "a" }));
    response.write("event: stdout\nid: 3\nda");
    return setTimeout(() => response.destroy(), 20);
  }
  assert.equal(request.headers["last-event-id"], "2");
  response.end(event("stdout", "3", { text: "b" }) + event("complete", "4", execution));
}, async (atoll) => {
  const sandbox = await atoll.connect("s1");
  let text = "";
  for await (const one of sandbox.stream("1")) if (one.type === "stdout") text += one.text;
  assert.equal(text, "ab");
}));

test("a stream that cannot be resumed says so", () => serving((request, response) => {
  if (request.url.endsWith("/s1")) return json(response, session);
  if (request.method === "POST") {
    begin(response);
    return response.end(event("init", "1", { session_id: "s1", execution_id: "e1", state: "running" }));
  }
  response.writeHead(400, {});
  response.end(problem(400, "invalid_argument", "unknown Last-Event-ID"));
}, async (atoll) => {
  const sandbox = await atoll.connect("s1");
  await assert.rejects(sandbox.stream("1").complete(), code("stream_interrupted", sdk.StreamInterruptedError));
}));

test("leaving a stream closes its connection", async () => {
  let closed;
  await serving((request, response) => {
    if (request.url.endsWith("/s1")) return json(response, session);
    begin(response);
    response.write(event("init", "1", { session_id: "s1", execution_id: "e1", state: "running" }));
    closed = once(response, "close");
  }, async (atoll) => {
    const sandbox = await atoll.connect("s1");
    for await (const one of sandbox.stream("1")) if (one.type === "init") break;
    await closed;
  });
});

test("lines may end with CR LF, data may have many lines, comments say nothing", () => serving((request, response) => {
  if (request.url.endsWith("/s1")) return json(response, session);
  begin(response);
  response.write(": hello\r\n\r\nevent: stdout\r\nid: 1\r\ndata: {\r\ndata: \"text\": \"é\"}\r\n\r\n");
  response.end(event("complete", "2", execution));
}, async (atoll) => {
  const seen = [];
  for await (const one of (await atoll.connect("s1")).stream("1")) seen.push(one.text ?? one.type);
  assert.deepEqual(seen, ["é", "complete"]);
}));

test("watching that breaks tells that something may have been missed", () => serving((request, response, number) => {
  if (request.url.endsWith("/s1")) return json(response, session);
  begin(response);
  if (number === 2) {
    response.write('event: created\ndata: {"event":"created","path":"a"}\n\n');
    return setTimeout(() => response.destroy(), 20);
  }
  response.end('event: created\ndata: {"event":"created","path":"b"}\n\n');
}, async (atoll) => {
  const seen = [];
  const watch = await (await atoll.connect("s1")).files.watch();
  for await (const one of watch) seen.push(one.type === "overflow" ? "overflow" : one.path);
  assert.deepEqual(seen, ["a", "overflow", "b"]);
}));

test("a map that fails ends the rest and leaves no sandbox", () => serving((request, response) => {
  if (request.method === "POST" && request.url.endsWith("/sessions")) return json(response, session, 201);
  if (request.method === "DELETE") return response.writeHead(204).end();
  json(response, execution);
}, async (atoll, seen) => {
  await assert.rejects(atoll.map([1, 2, 3, 4, 5, 6], async (_, item) => {
    if (item === 2) throw new Error("two");
  }, { parallel: 2 }), /two/);
  const count = (method) => seen.filter((one) => one.method === method && one.path.startsWith("/api/v1/sessions")).length;
  assert.equal(count("POST"), count("DELETE"));
  assert.ok(count("POST") < 6);
}));
