// What the steps of scenarios do with this SDK.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { Atoll } from "@atoll/sdk";
import { holdsMembers } from "./conditions.mjs";

const control = process.env.ATOLL_CONTROL;
const keys = JSON.parse(process.env.ATOLL_KEYS);
const urls = {
  main: process.env.ATOLL_URL, faulty: process.env.ATOLL_FAULTY_URL,
  spare: process.env.ATOLL_SPARE_URL, dead: process.env.ATOLL_DEAD_URL,
};

/** A result and the object of the SDK that later steps work on. */
export class Result {
  constructor(value, object) {
    this.value = value === undefined ? {} : value;
    this.object = object;
  }
}

const plain = (value) => (value === undefined ? {} : JSON.parse(JSON.stringify(value)));
const of = (value, object) => new Result(plain(value), object);
const clean = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
const all = async (iterable, map = (one) => one) => {
  const list = [];
  for await (const one of iterable) list.push(map(one));
  return list;
};

export function newClient(scenario, options = {}) {
  const server = options.server ?? scenario.server ?? "main";
  const key = options.key ?? scenario.key ?? (server === "spare" ? "spare" : "owner");
  return new Atoll(clean({ url: urls[server], apiKey: keys[key], retries: options.retries, timeout: options.timeout }));
}

const pattern = (size) => {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = (i * 131 + (i >> 8) * 17) & 255;
  return bytes;
};

const runOptions = (args) => clean({
  language: args.language, context: args.context, cwd: args.cwd, env: args.env,
  stdin: args.stdin_b64 === undefined ? args.stdin : new Uint8Array(Buffer.from(args.stdin_b64, "base64")),
  timeout: args.timeout, maxOutputBytes: args.max_output_bytes, trackFiles: args.track_files,
  idempotencyKey: args.idempotency_key, check: args.check, deadline: args.deadline, stdinOpen: args.stdin_open,
});
const workOf = (args) => (args.code === undefined ? { command: args.command } : { code: args.code });

async function followed(stream, args) {
  const told = { events: [], stdout: "", stderr: "", results: [], left: false, execution: {} };
  for await (const event of stream) {
    told.events.push(clean({ type: event.type, text: event.text }));
    if (event.type === "init") told.execution = { execution_id: event.executionId };
    if (event.type === "stdout" || event.type === "stderr") told[event.type] += event.text;
    if (event.type === "result") told.results.push({ is_result: event.result.isResult, data: event.result.data });
    if (event.type === "complete") told.execution = event.execution;
    if (args.leave_on !== undefined && event.type === "stdout" && told.stdout.includes(args.leave_on)) {
      told.left = true;
      break;
    }
  }
  return of(told);
}

function created(args) {
  return clean({
    template: args.template, sessionKey: args.session_key, timeout: args.timeout, idleTimeout: args.idle_timeout, env: args.env,
    labels: args.labels, metadata: args.metadata, allowNetwork: args.allow_network, network: args.network,
    resources: args.resources, snapshot: args.snapshot, wait: args.wait, idempotencyKey: args.idempotency_key,
  });
}

async function localFolder(args) {
  const folder = await mkdtemp(join(process.env.ATOLL_FOLDER, "up-"));
  const files = args.files ?? Object.fromEntries(Array.from({ length: args.count }, (_, i) => [`f${String(i).padStart(5, "0")}.txt`, String(i)]));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function source(args) {
  const bytes = args.size !== undefined ? pattern(args.size)
    : args.b64 !== undefined ? new Uint8Array(Buffer.from(args.b64, "base64")) : new TextEncoder().encode(args.text ?? "");
  if (args.from === undefined || args.from === "bytes") return { bytes: args.text ?? bytes };
  const path = join(await mkdtemp(join(process.env.ATOLL_FOLDER, "file-")), "source");
  await writeFile(path, bytes);
  return args.from === "path" ? { path } : { bytes: Readable.toWeb(createReadStream(path)) };
}

async function hashed(chunks) {
  const hash = createHash("sha256");
  let size = 0;
  const kept = [];
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    if (size <= 1 << 20) kept.push(chunk);
  }
  let text = null;
  try {
    if (size <= 1 << 20) text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(kept));
  } catch {
    // no UTF-8
  }
  return of({ size, sha256: hash.digest("hex"), text });
}

const fromClient = {
  client: (_, args, world) => {
    const made = newClient(world.scenario, args);
    return new Result({}, made);
  },
  health: async (client) => of(await client.health()),
  ready: async (client) => of(await client.ready()),
  backends: async (client) => of(await client.backends()),
  check_policy: async (client, args) => of(await client.checkPolicy(args.code, clean({ language: args.language }))),
  runtimes: async (client) => of({ runtimes: await client.runtimes() }),
  create: async (client, args, world) => {
    const sandbox = await client.create(created(args));
    world.atEnd(() => sandbox.end());
    return of(sandbox.info, sandbox);
  },
  connect: async (client, { id }) => {
    const sandbox = await client.connect(id);
    return of(sandbox.info, sandbox);
  },
  list: async (client, args) => of({
    sessions: await all(client.list(clean({
      labels: args.labels, status: args.status, template: args.template, sessionKey: args.session_key, pageSize: args.page_size,
    }))),
  }),
  end_by_key: async (client, args) => of(await client.endByKey(args.session_key)),
  run_once: async (client, args) => of(await client.runOnce(workOf(args), clean({ ...runOptions(args), template: args.template }))),
  map: async (client, args) => of({
    results: await client.map(args.codes, (sandbox, code) => sandbox.run(code), clean({ parallel: args.parallel })),
  }),
  create_template: async (client, { body }, world) => {
    const made = await client.templates.create(body);
    world.atEnd(() => client.templates.delete(made.id));
    return of(made);
  },
  get_template: async (client, { id }) => of(await client.templates.get(id)),
  list_templates: async (client) => of({ templates: await client.templates.list() }),
  replace_template: async (client, { id, body }) => of(await client.templates.replace(id, body)),
  delete_template: async (client, { id }) => of(await client.templates.delete(id)),
  snapshots: async (client) => of({ snapshots: await client.snapshots.list() }),
  get_snapshot: async (client, { id }) => of(await client.snapshots.get(id)),
  delete_snapshot: async (client, { id }) => of(await client.snapshots.delete(id)),
  put_secret: async (client, { name, value }) => of(await client.secrets.put(name, value)),
  get_secret: async (client, { name }) => of(await client.secrets.get(name)),
  list_secrets: async (client) => of({ secrets: await client.secrets.list() }),
  delete_secret: async (client, { name }) => of(await client.secrets.delete(name)),
  create_key: async (client, args) => of(await client.keys.create(args)),
  list_keys: async (client) => of({ keys: await client.keys.list() }),
  revoke_key: async (client, { id }) => of(await client.keys.revoke(id)),
  audit: async (client, args) => of({ audit: await all(client.audit(clean({ action: args.action, sessionId: args.session_id }))) }),
  events: async (client, _, world) => world.closing(await client.events()),
  faults: async (_, { rules }, world) => {
    world.atEnd(() => post("/faults", { rules: [] }));
    return of(await post("/faults", { rules }));
  },
  requests: async (_, { method, path }) => {
    const { requests } = await (await fetch(`${control}/requests`)).json();
    return of({
      requests: requests.filter((one) => (!method || one.method === method) && (!path || new RegExp(path).test(one.path))),
    });
  },
  server: async (_, args) => of(await post("/server", { do: args.do })),
  assert: (_, { value }) => of(value),
};

async function post(path, body) {
  const answer = await fetch(control + path, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`harness: ${await answer.text()}`);
  return answer.json();
}

const fromSandbox = {
  get: async (sandbox) => of(await sandbox.refresh()),
  end: async (sandbox) => of(await sandbox.end()),
  pause: async (sandbox) => of(await sandbox.pause()),
  resume: async (sandbox) => of(await sandbox.resume()),
  renew: async (sandbox, args) => of(await sandbox.renew(args.seconds)),
  change: async (sandbox, args) => of(await sandbox.change(clean({
    labels: args.labels, metadata: args.metadata, timeout: args.timeout, idleTimeout: args.idle_timeout,
  }))),
  status: async (sandbox) => of(await sandbox.runningNow()),
  diagnostics: async (sandbox) => of(await sandbox.diagnostics()),
  usage: async (sandbox) => of(await sandbox.usage()),
  processes: async (sandbox) => of({ processes: await sandbox.processes() }),
  results: async (sandbox) => of({ results: await all(sandbox.results()) }),
  run: async (sandbox, args) => of(await sandbox.run(workOf(args), runOptions(args))),
  run_text: async (sandbox, args) => of({ text: await sandbox.runText(workOf(args), runOptions(args)) }),
  start: async (sandbox, args) => {
    const running = await sandbox.start(workOf(args), runOptions(args));
    return of(running.raw, running);
  },
  stream: (sandbox, args) => followed(sandbox.stream(workOf(args), runOptions(args)), args),
  open_context: async (sandbox, args) => {
    const context = await sandbox.openContext(args);
    return of(context.raw, context);
  },
  contexts: async (sandbox) => of({ contexts: (await sandbox.contexts()).map((one) => one.raw) }),
  network: async (sandbox) => of(await sandbox.network()),
  set_network: async (sandbox, { policy }) => of(await sandbox.setNetwork(policy)),
  snapshot: async (sandbox, args, world) => {
    const made = await sandbox.snapshot(args.name, clean({ idempotencyKey: args.idempotency_key }));
    world.atEnd(() => world.client.snapshots.delete(made.id));
    return of(made);
  },
  write: async (sandbox, args) => {
    const { bytes, path } = await source(args);
    const options = clean({ mode: args.mode });
    return of(await (path ? sandbox.files.upload(path, args.path, options) : sandbox.files.write(args.path, bytes, options)));
  },
  read: async (sandbox, args) => {
    const options = clean({ first: args.first, last: args.last });
    if (args.to === "stream") return hashed(await sandbox.files.readStream(args.path, options));
    if (args.to !== "path") return hashed([await sandbox.files.read(args.path, options)]);
    const path = join(await mkdtemp(join(process.env.ATOLL_FOLDER, "read-")), "content");
    await sandbox.files.download(args.path, path, options);
    return hashed(createReadStream(path));
  },
  list_files: async (sandbox, args) => of({
    files: await all(sandbox.files.list(args.path, clean({ depth: args.depth, glob: args.glob, contains: args.contains, pageSize: args.page_size }))),
  }),
  remove: async (sandbox, args) => of(await sandbox.files.remove(args.path, clean({ recursive: args.recursive }))),
  mkdir: async (sandbox, args) => of(await sandbox.files.mkdir(args.path, clean({ mode: args.mode, parents: args.parents }))),
  move: async (sandbox, args) => of(await sandbox.files.move(args.from, args.to, clean({ overwrite: args.overwrite }))),
  chmod: async (sandbox, args) => of(await sandbox.files.chmod(args.path, args.mode)),
  replace: async (sandbox, args) => of({ count: await sandbox.files.replace(args.path, args.old, args.new) }),
  links: async (sandbox, args) => of(await sandbox.files.links(args.path, args.links)),
  upload_folder: async (sandbox, args) => {
    let reported = 0;
    const files = await sandbox.files.uploadFolder(await localFolder(args), args.to, { progress: ({ bytes }) => (reported = bytes) });
    return of(args.progress ? { files, reported } : { files });
  },
  download_folder: async (sandbox, args) => {
    const folder = await mkdtemp(join(process.env.ATOLL_FOLDER, "down-"));
    const count = await sandbox.files.downloadFolder(args.path, folder);
    if (args.count) return of({ count });
    const files = {};
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      if (entry.isFile()) files[path.slice(folder.length + 1)] = await readFile(path, "utf8");
    }
    return of({ files });
  },
  watch: async (sandbox, args, world) => world.closing(await sandbox.files.watch(args.path, clean({ recursive: args.recursive }))),
  terminal: async (sandbox, args, world) => world.closing(await sandbox.terminal(args)),
  http: async (sandbox, args) => {
    const answer = await sandbox.port(args.port).fetch(args.path, clean({ method: args.method, body: args.body, headers: args.headers }));
    return of({ status: answer.status, body: await answer.text() });
  },
  port_url: (sandbox, { port }) => of({ url: sandbox.port(port).url }),
  preview: async (sandbox, args) => of(await sandbox.port(args.port).preview(clean({ ttl: args.ttl }))),
};

const fromExecution = {
  get: async (running) => of(await running.get()),
  wait: async (running, args) => of(await running.wait(clean({ deadline: args.deadline }))),
  cancel: async (running) => of(await running.cancel()),
  signal: async (running, { signal }) => of(await running.signal(signal)),
  stdin: async (running, args) => {
    const data = args.b64 === undefined ? args.text ?? "" : new Uint8Array(Buffer.from(args.b64, "base64"));
    return of(await running.write(data, clean({ close: args.close })));
  },
  follow: (running, args) => followed(running.follow(), args),
};

const fromContext = {
  run: async (context, args) => {
    const done = await context.run(args.code, clean({ timeout: args.timeout, check: args.check }));
    const shown = done.result;
    return of(args.display ? {
      ...plain(done), html: shown?.html ?? null, text: shown?.text ?? null, png_bytes: shown?.png?.length ?? 0, chart: shown?.chart ?? null,
    } : done);
  },
  close: async (context) => of(await context.close()),
};

const fromStream = {
  next_event: async (stream, { match }) => {
    const timer = setTimeout(() => stream.close(), 60_000);
    try {
      const iterator = stream[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) throw new Error(`no such event: ${JSON.stringify(match)}`);
        if (holdsMembers(value, match)) return of(value);
      }
    } finally {
      clearTimeout(timer);
    }
  },
  close: async (stream) => of(await stream.close()),
};

const fromTerminal = {
  send: (terminal, { text }) => of(terminal.write(text)),
  resize: (terminal, { rows, cols }) => of(terminal.resize(rows, cols)),
  read_until: async (terminal, { text }) => of({ text: await terminal.readUntil(text) }),
  wait_exit: async (terminal) => of(await terminal.wait()),
  close: async (terminal) => of(await terminal.close()),
};

export const CALLS = {
  Atoll: fromClient, Sandbox: fromSandbox, RunningExecution: fromExecution, Context: fromContext,
  EventStream: fromStream, Terminal: fromTerminal,
};
