// What the tests of this package share.
import { createServer } from "node:http";
import { Atoll } from "@atoll/sdk";

export const problem = (status, code, detail = "said the test") =>
  JSON.stringify({ type: "about:blank", title: "", status, code, detail, request_id: "r1" });

/** A server that answers as the test says: answer(request, response, number of the request). */
export async function serving(answer, use) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method, path: request.url, headers: request.headers });
    request.resume();
    request.on("end", () => answer(request, response, seen.length));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${server.address().port}`;
    return await use(new Atoll({ url, apiKey: "k", retries: 2 }), seen, url);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

export const session = {
  id: "s1", session_id: "s1", session_key: null, template_id: "python-default", runtime_node: "n", backend: "native", status: "ready",
  workspace: "/workspace", config: {}, labels: {}, metadata: {}, isolation: { layers: [], missing: [] },
  created_at: "", updated_at: "", expires_at: null,
};
export const execution = {
  session_id: "s1", execution_id: "e1", state: "completed", exit_code: 0, stdout: "", result: null, success: true, error: null,
  metrics: { cpu_user_ms: 0, cpu_system_ms: 0, memory_peak_bytes: 0 }, duration_ms: 1, timed_out: false, truncated: false, created_at: "",
};
export const json = (response, body, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
