// Unmodified JavaScript SDKs, timed: one JSON object a line on standard input, one answer a line.
//   dialects.mjs '{"sdk": "e2b" | "opensandbox" | "mcp", "modules": FOLDER, "url", "key", "server": PID}'
// A life is timed as ComputeSDK does it: from the call that creates until the first command has answered.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const wish = JSON.parse(process.argv[2]);
const { resolve } = createRequire(`${wish.modules}/package.json`);
const load = (name) => import(pathToFileURL(name.startsWith('/') ? name : resolve(name)).href);

const sdks = {
  async e2b() {
    const e2b = await load('e2b');
    const { Sandbox } = e2b.default?.Sandbox ? e2b.default : e2b;
    return {
      create: () => Sandbox.create(),
      id: (box) => box.sandboxId,
      run: async (box, command) => (await box.commands.run(command)).stdout,
      upload: (box, blob) => box.files.write('big', blob),
      kill: (box) => box.kill(),
    };
  },
  async opensandbox() {
    const { ConnectionConfig, Sandbox } = await load('@alibaba-group/opensandbox');
    const connectionConfig = new ConnectionConfig({ domain: wish.url.replace('http://', ''), apiKey: wish.key });
    return {
      create: () => Sandbox.create({ connectionConfig, image: 'opensandbox/code-interpreter:v1.0.1' }),
      id: (box) => box.id,
      run: async (box, command) => (await box.commands.run(command)).logs.stdout.map((one) => one.text).join('') + '\n',
      upload: async (box, blob) => box.files.writeFiles([{ path: '/workspace/big', data: blob, mode: 644 }]),
      kill: async (box) => { await box.kill(); await box.close(); },
    };
  },
  async mcp() {
    const { Client, StreamableHTTPClientTransport } =
      await load(`${wish.modules}/node_modules/@modelcontextprotocol/client/dist/index.mjs`);
    const client = new Client({ name: 'bench', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${wish.url}/mcp`),
      { requestInit: { headers: { Authorization: `Bearer ${wish.key}` } } }));
    const call = async (name, args) => {
      const { structuredContent } = await client.callTool({ name, arguments: args });
      if (structuredContent.status !== 'success') throw new Error(JSON.stringify(structuredContent));
      return structuredContent.data;
    };
    return {
      create: () => call('sandbox_create', {}),
      id: (box) => box.sandbox_id,
      run: async (box, command) => (await call('run_command', { sandbox_id: box.sandbox_id, command })).stdout,
      code: async (box, code) => (await call('run_code', { sandbox_id: box.sandbox_id, code })).stdout,
      kill: (box) => call('sandbox_kill', { sandbox_id: box.sandbox_id }),
    };
  },
};

const sdk = await sdks[wish.sdk]();
const boxes = [];
let warm;

function same(found, wanted) {
  if (found !== wanted) throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
async function rest(method, path, body) {
  const answer = await fetch(`${wish.url}/api/v1${path}`, { method, body, headers: {
    Authorization: `Bearer ${wish.key}`, 'Content-Type': 'application/octet-stream' } });
  await answer.arrayBuffer();
  return { status: answer.status, length: Number(answer.headers.get('content-length')) };
}
const kilobytes = (name) => Number(readFileSync(`/proc/${wish.server}/status`, 'utf8').match(`${name}:\\s+(\\d+)`)[1]);

// Milliseconds until its first command has answered; null when it failed.
async function life() {
  const begin = performance.now();
  try {
    const box = await sdk.create();
    boxes.push(box);
    same(await sdk.run(box, 'echo hi'), 'hi\n');
    return performance.now() - begin;
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    return null;
  }
}
const killed = () => Promise.all(boxes.splice(0).map((box) => sdk.kill(box)));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function timed(action) {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}
async function repeated(rounds, action) {
  const times = [];
  for (let i = -5; i < rounds; ++i) {
    const time = await timed(action);
    if (i >= 0) times.push(time);
  }
  return times;
}

const parts = {
  async sequential({ rounds }) {
    const times = [];
    for (let i = -3; i < rounds; ++i) {
      const time = await life();
      await killed();
      if (i >= 0) times.push(time);
    }
    return { times };
  },
  async staggered({ rounds, apart }) {
    const begun = [];
    for (let i = 0; i < rounds; ++i) {
      begun.push(life());
      await sleep(apart);
    }
    const times = await Promise.all(begun);
    await killed();
    return { times };
  },
  async burst({ count }) {
    const begin = performance.now();
    const times = await Promise.all(Array.from({ length: count }, life));
    const whole = performance.now() - begin;
    await killed();
    return { times, whole };
  },
  async commands({ rounds }) {
    warm ??= await sdk.create();
    return { times: await repeated(rounds, async () => same(await sdk.run(warm, 'echo hi'), 'hi\n')) };
  },
  async code({ rounds }) {
    warm ??= await sdk.create();
    return { times: await repeated(rounds, async () => same(await sdk.code(warm, 'print(6 * 7)'), '42\n')) };
  },
  // MB/s of a file of this machine by the SDK and by fetch() and REST, in turns; the best of each.
  async upload({ rounds, file, bytes }) {
    warm ??= await sdk.create();
    const path = `/sessions/${sdk.id(warm)}/files/big`;
    const best = { sdk: 0, rest: 0, growth: 0 };
    const content = new Blob([readFileSync(file)]);
    const ways = {
      sdk: () => sdk.upload(warm, content),
      rest: async () => same((await rest('PUT', path, content)).status < 300, true),
    };
    for (let i = 0; i < rounds; ++i) {
      for (const [name, way] of Object.entries(ways)) {
        await rest('DELETE', path);
        writeFileSync(`/proc/${wish.server}/clear_refs`, '5');
        const before = kilobytes('VmRSS');
        best[name] = Math.max(best[name], bytes / 1000 / (await timed(way)));
        if (name === 'sdk') best.growth = Math.max(best.growth, kilobytes('VmHWM') - before);
        same((await rest('HEAD', path)).length, bytes);
      }
    }
    return best;
  },
};

const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  try {
    say({ result: await parts[order.part](order) });
  } catch (error) {
    say({ error: String(error.stack) });
  }
}
if (warm) await sdk.kill(warm);
process.exit(0);
