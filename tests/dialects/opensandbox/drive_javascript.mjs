// Every call of the official JavaScript SDK, each read back through the server's own API.
//
// usage: drive_javascript.mjs MODULES URL KEY PART
import { deepStrictEqual as expect, ok, rejects } from 'node:assert';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, url, key, part] = process.argv.slice(2);
const sdk = await import(pathToFileURL(createRequire(`${modules}/package.json`).resolve('@alibaba-group/opensandbox')));
const { ConnectionConfig, Sandbox, SandboxManager } = sdk;

const connection = (more = {}) => new ConnectionConfig({ domain: url.replace('http://', ''), apiKey: key, ...more });
const create = (more = {}) =>
  Sandbox.create({ connectionConfig: connection(), image: 'opensandbox/code-interpreter:v1.0.1', ...more });
const lines = (messages) => messages.map((one) => one.text);

async function rest(path) {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { 'X-API-Key': key } });
  return answer.ok ? answer : Promise.reject(new Error(`${path}: ${answer.status}`));
}
const look = async (path) => (await rest(path)).json();
const file = async (id, name) => Buffer.from(await (await rest(`/sessions/${id}/files/${name}`)).arrayBuffer());

async function until(condition) {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    ok(Date.now() < deadline, 'in vain');
    await new Promise((done) => setTimeout(done, 20));
  }
}

const refusedWith = (status) => (error) => {
  expect(error.statusCode, status);
  ok(error.requestId, 'no request id');
  return true;
};

const parts = {
  async lifecycle() {
    const sandbox = await create({
      metadata: { project: 'a b&c=%' }, env: { GREETING: 'hi' }, timeoutSeconds: 600,
      resource: { cpu: '250m', memory: '128Mi' } });
    const session = await look(`/sessions/${sandbox.id}`);
    expect([session.status, session.labels, session.config.timeout_seconds, session.config.resources],
      ['ready', { project: 'a b&c=%' }, 600, { cpu: 0.25, memory: 128 }]);
    const info = await sandbox.getInfo();
    expect([info.status.state, info.metadata], ['Running', { project: 'a b&c=%' }]);
    ok(info.createdAt instanceof Date);
    ok(await sandbox.isHealthy());
    await sandbox.renew(1200);
    const seconds = (Date.parse((await look(`/sessions/${sandbox.id}`)).expires_at) - Date.now()) / 1000;
    ok(Math.abs(seconds - 1200) < 60, `${seconds}`);
    await sandbox.patchMetadata({ project: null, team: 'x' });
    expect((await look(`/sessions/${sandbox.id}`)).labels, { team: 'x' });
    await sandbox.pause();
    expect((await look(`/sessions/${sandbox.id}`)).status, 'paused');
    const awake = await sandbox.resume();
    expect((await look(`/sessions/${sandbox.id}`)).status, 'ready');
    expect(lines((await awake.commands.run('echo $GREETING')).logs.stdout), ['hi']);
    const again = await Sandbox.connect({ connectionConfig: connection(), sandboxId: sandbox.id });
    expect(lines((await again.commands.run('echo connected')).logs.stdout), ['connected']);
    const manager = SandboxManager.create({ connectionConfig: connection() });
    const found = await manager.listSandboxInfos({ states: ['Running', 'Paused'], metadata: { team: 'x' }, page: 1, pageSize: 5 });
    expect(found.items.map((one) => one.id), [sandbox.id]);
    expect(found.pagination.totalItems, 1);
    const taken = await manager.createSnapshot(sandbox.id, { name: 'js' });
    expect((await look('/snapshots')).snapshots.map((one) => one.id).includes(taken.id), true);
    expect((await manager.listSnapshots({ sandboxId: sandbox.id })).items.map((one) => one.name), ['js']);
    expect((await manager.getSnapshot(taken.id)).status.state, 'Ready');
    await manager.deleteSnapshot(taken.id);
    await rejects(manager.getSnapshot(taken.id), refusedWith(404));
    await sandbox.kill();
    expect((await look(`/sessions/${sandbox.id}`)).status, 'terminated');
    await rejects(sandbox.getInfo(), refusedWith(404));
    await rejects(create({ image: 'no/such:1' }), refusedWith(404));
    await rejects(manager.killSandbox(sandbox.id), refusedWith(404));
    await manager.close();
    await sandbox.close();
  },

  async commands() {
    const sandbox = await create();
    const { commands } = sandbox;
    let ran = await commands.run('echo one; echo; echo err >&2; exit 3');
    expect([lines(ran.logs.stdout), lines(ran.logs.stderr), ran.exitCode], [['one', '\n'], ['err'], 3]);
    expect((await look(`/executions/${ran.id}`)).exit_code, 3);
    ran = await commands.run('echo "$A $PWD"', { envs: { A: 'b' }, workingDirectory: '/tmp' });
    expect([lines(ran.logs.stdout), ran.exitCode], [['b /tmp'], 0]);
    ran = await commands.run('sleep 100', { timeoutSeconds: 1 });
    expect(ran.exitCode, -1);
    expect((await look(`/executions/${ran.id}`)).state, 'timed_out');
    const heard = [];
    await commands.run('echo a', undefined, { onStdout: (one) => heard.push(one.text), onExecutionComplete: () => heard.push('done') });
    expect(heard, ['a', 'done']);
    const kept = await commands.run('echo begun; sleep 1000', { background: true });
    await until(async () => (await commands.getBackgroundCommandLogs(kept.id, 0)).content === 'begun\n');
    expect((await commands.getBackgroundCommandLogs(kept.id, 6)).content, '');
    expect((await commands.getCommandStatus(kept.id)).running, true);
    await commands.interrupt(kept.id);
    await until(async () => !(await commands.getCommandStatus(kept.id)).running);
    expect((await look(`/executions/${kept.id}`)).state, 'cancelled');
    const shell = await commands.createSession({ workingDirectory: '/tmp' });
    await commands.runInSession(shell, 'export V=1; cd /workspace');
    const said = await commands.runInSession(shell, 'echo $V $PWD; exit 4');
    expect([lines(said.logs.stdout), said.exitCode], [['1 /workspace'], 4]);
    await commands.deleteSession(shell);
    await rejects(commands.deleteSession(shell), refusedWith(404));
    await sandbox.kill();
    await sandbox.close();
  },

  async files() {
    const sandbox = await create();
    const { files, id } = sandbox;
    await files.createDirectories([{ path: '/workspace/stuff/d', mode: 750 }]);
    async function* chunks() {
      for (let n = 0; n < 3; ++n) yield new TextEncoder().encode(`piece ${n};`);
    }
    await files.writeFiles([
      { path: '/workspace/stuff/a.txt', data: 'größe', mode: 640 },
      { path: '/workspace/stuff/d/b.bin', data: new Uint8Array([0, 255, 13, 10]), mode: 600 },
      { path: '/workspace/stuff/stream', data: chunks(), mode: 644 }]);
    expect((await file(id, 'stuff/a.txt')).toString(), 'größe');
    expect([...(await file(id, 'stuff/d/b.bin'))], [0, 255, 13, 10]);
    expect((await file(id, 'stuff/stream')).toString(), 'piece 0;piece 1;piece 2;');
    expect(await files.readFile('/workspace/stuff/a.txt'), 'größe');
    expect([...(await files.readBytes('/workspace/stuff/d/b.bin', { range: 'bytes=1-2' }))], [255, 13]);
    const info = (await files.getFileInfo(['/workspace/stuff/a.txt']))['/workspace/stuff/a.txt'];
    expect([info.mode, info.size, info.type], [640, 7, 'file']);
    ok(Math.abs(info.modifiedAt - Date.now()) < 60_000);
    await files.setPermissions([{ path: '/workspace/stuff/a.txt', mode: 600 }]);
    expect((await rest(`/sessions/${id}/files/stuff/a.txt`)).headers.get('x-atoll-mode'), '0600');
    await files.moveFiles([{ src: '/workspace/stuff/a.txt', dest: '/workspace/stuff/z.txt' }]);
    expect((await files.search({ path: '/workspace/stuff', pattern: '*.txt' })).map((one) => one.path), ['/workspace/stuff/z.txt']);
    expect((await files.listDirectory({ path: '/workspace/stuff', depth: 2 })).map((one) => one.path),
      ['/workspace/stuff/d', '/workspace/stuff/d/b.bin', '/workspace/stuff/stream', '/workspace/stuff/z.txt']);
    const replaced = await files.replaceContentsDetailed([{ path: '/workspace/stuff/stream', oldContent: 'piece', newContent: 'bit' }]);
    expect(replaced.map((one) => one.replacedCount), [3]);
    await files.replaceContents([{ path: '/workspace/stuff/stream', oldContent: ';', newContent: '' }]);
    expect((await file(id, 'stuff/stream')).toString(), 'bit 0bit 1bit 2');
    const large = new Uint8Array(10_000_000).fill(7);
    await files.writeFiles([{ path: '/workspace/large', data: large }]);
    expect((await files.readBytes('/workspace/large')).length, large.length);
    await files.deleteFiles(['/workspace/stuff/z.txt', '/workspace/large']);
    await files.deleteDirectories(['/workspace/stuff']);
    expect((await look(`/sessions/${id}/files`)).files, []);
    await rejects(files.readFile('/workspace/none'), refusedWith(404));
    await sandbox.kill();
    await sandbox.close();
  },

  async others() {
    const sandbox = await create();
    const metrics = await sandbox.getMetrics();
    const usage = await look(`/sessions/${sandbox.id}/usage`);
    expect(metrics.memoryTotalMiB, usage.memory_limit_mb);
    ok(metrics.memoryUsedMiB > 0);
    const policy = await sandbox.getEgressPolicy();
    expect([policy.defaultAction, policy.egress], ['deny', []]);
    expect((await look(`/sessions/${sandbox.id}/network`)).policy.default, 'deny');
    try {
      await sandbox.patchEgressRules([{ action: 'allow', target: 'example.org' }]);
      expect((await look(`/sessions/${sandbox.id}/network`)).policy.rules.map((one) => one.target), ['example.org']);
      await sandbox.deleteEgressRules(['example.org']);
    } catch (error) {
      ok([400, 403].includes(error.statusCode), error);
    }
    expect((await sandbox.getEgressPolicy()).egress, []);
    await sandbox.commands.run('mkdir www; echo served > www/page');
    await sandbox.commands.run('python3 -m http.server 8000 --bind 127.0.0.1 --directory www', { background: true });
    const endpoint = await sandbox.getEndpoint(8000);
    const page = `http://${endpoint.endpoint}/page`;
    await until(async () => (await fetch(page, { headers: endpoint.headers })).status === 200);
    expect(await (await fetch(page, { headers: endpoint.headers })).text(), 'served\n');
    expect((await fetch(page)).status, 401);
    expect((await sandbox.isolation.capabilities()).available, false);
    await sandbox.kill();
    await sandbox.close();
  },

  async measure() {
    const sandbox = await create();
    const times = [];
    for (let n = 0; n < 50; ++n) {
      const began = performance.now();
      await sandbox.commands.run('echo');
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    console.log(JSON.stringify({ run_p50_ms: times[25], run_max_ms: times[49] }));
    await sandbox.kill();
    await sandbox.close();
  },
};

await parts[part]();
