// An official TypeScript client, told what to do: one JSON object a line on standard input, one answer a line.
//   drive.mjs FOLDER '{"sdk": "v1"|"v2", "url": …, "headers": {…}} or {"command": …, "args": […], "env": {…}}'
// v1 is @modelcontextprotocol/sdk, which speaks the legacy protocol; v2 is @modelcontextprotocol/client, pinned to the
// modern one.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, text] = process.argv.slice(2);
const wish = JSON.parse(text);
const load = (file) => import(pathToFileURL(`${folder}/node_modules/@modelcontextprotocol/${file}`).href);

async function parts() {
  if (wish.sdk === "v1") {
    const { Client } = await load("sdk/dist/esm/client/index.js");
    const http = await load("sdk/dist/esm/client/streamableHttp.js");
    const stdio = await load("sdk/dist/esm/client/stdio.js");
    return { Client, Http: http.StreamableHTTPClientTransport, Stdio: stdio.StdioClientTransport, options: {} };
  }
  const all = await load("client/dist/index.mjs");
  const stdio = await load("client/dist/stdio.mjs");
  const options = { versionNegotiation: { mode: wish.mode ?? { pin: "2026-07-28" } } };
  return { Client: all.Client, Http: all.StreamableHTTPClientTransport, Stdio: stdio.StdioClientTransport, options };
}

const { Client, Http, Stdio, options } = await parts();
const client = new Client({ name: wish.name ?? `drive-${wish.sdk}`, version: "1.0.0" }, options);
const transport = wish.url
  ? new Http(new URL(wish.url), { requestInit: { headers: wish.headers ?? {} } })
  : new Stdio({ command: wish.command, args: wish.args, env: { ...process.env, ...wish.env }, stderr: "inherit" });

const call = (name, args, more) =>
  wish.sdk === "v1"
    ? client.callTool({ name, arguments: args }, undefined, more)
    : client.callTool({ name, arguments: args }, more);

const commands = {
  tools: () => client.listTools(),
  call: ({ name, args }) => call(name, args, { timeout: 120000 }),
  // The progress that came, and the result.
  async progress({ name, args }) {
    const seen = [];
    const result = await call(name, args, { timeout: 120000, onprogress: (one) => seen.push(one) });
    return { seen, result };
  },
  // Gives up when the first progress has come.
  async abort({ name, args }) {
    const stop = new AbortController();
    try {
      await call(name, args, { timeout: 120000, signal: stop.signal, onprogress: () => stop.abort("enough") });
      return { aborted: false };
    } catch (error) {
      return { aborted: true, message: String(error) };
    }
  },
  // So many, all at once.
  async crowd({ name, args, count }) {
    return Promise.all(Array.from({ length: count }, () => call(name, args, { timeout: 120000 })));
  },
  // One after the other; milliseconds of each.
  async times({ name, args, count }) {
    const times = [];
    for (let i = 0; i < count; ++i) {
      const begin = performance.now();
      const result = await call(name, args, { timeout: 120000 });
      if (result.isError) throw new Error(JSON.stringify(result));
      times.push(performance.now() - begin);
    }
    return times;
  },
  resources: () => client.listResources(),
  templates: () => client.listResourceTemplates(),
  read: ({ uri }) => client.readResource({ uri }),
  server: () => ({ info: client.getServerVersion(), instructions: client.getInstructions() }),
};

const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
await client.connect(transport);
say({ connected: true, pid: transport.pid ?? null });
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  try {
    say({ result: await commands[command.do](command) });
  } catch (error) {
    say({ error: { code: error.code ?? null, message: String(error.message ?? error) } });
  }
}
if (transport.terminateSession && wish.sdk === "v1") await transport.terminateSession();
await client.close();
