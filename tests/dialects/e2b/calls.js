// Drives one unmodified version of the E2B SDK against a server, call by call: node calls.js FOLDER
// [interpreter]. One JSON line each: {"call", "state": works | absent | refused | fails, "why"}.
// What a call changed is read back through Atoll's own REST API.
'use strict'
const path = require('path')
const folder = path.resolve(process.argv[2])
const interpreter = process.argv[3] === 'interpreter'
const require_from = (name) => require(require.resolve(name, { paths: [folder] }))
const e2b = require_from('e2b')
const { Sandbox } = interpreter ? require_from('@e2b/code-interpreter') : e2b
const base = process.env.E2B_API_URL
const key = process.env.E2B_API_KEY

class Absent extends Error {}
class Refused extends Error {}

function check(condition, what) {
  if (!condition) throw new Error('not so: ' + what)
}
function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`)
}
function has(object, ...names) {
  for (const name of names) if (typeof object?.[name] !== 'function') throw new Absent(name)
}
async function rest(method, where, body) {
  const answer = await fetch(base + '/api/v1' + where, {
    method,
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  let value = text
  try { value = JSON.parse(text) } catch {}
  return { status: answer.status, value, text }
}
async function fails(promise, wanted) {
  try {
    await promise
  } catch (error) {
    if (wanted && !wanted(error)) throw error
    return error
  }
  throw new Error('it did not fail')
}
async function refused(promise) {
  const error = await fails(promise)
  if (error instanceof Absent) throw error
  if (!/501|not supported|not_implemented/.test(String(error.message) + error.name)) throw error
  throw new Refused(error.message)
}
// Not every backend can restrict a network.
async function until(condition, what) {
  const end = Date.now() + 60000
  for (;;) {
    const found = await condition()
    if (found) return found
    if (Date.now() > end) throw new Error('in vain: ' + what)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

let box
const session = async (id) => (await rest('GET', '/sessions/' + (id ?? box.sandboxId))).value
const file = async (name) => (await rest('GET', `/sessions/${box.sandboxId}/files/${name}`)).text
const execute = async (command) =>
  (await fetch(`${base}/api/v1/sessions/${box.sandboxId}/execute`, {
    method: 'POST', body: JSON.stringify({ command }),
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json', prefer: 'wait=30' },
  })).json()

async function pages(paginator) {
  const all = []
  while (paginator.hasNext) all.push(...(await paginator.nextItems()))
  return all
}

const calls = {
  'Sandbox.create': async () => {
    box = await Sandbox.create({ timeoutMs: 120000, metadata: { user: 'a b&c=ü', run: process.env.RUN }, envs: { FROM_CREATE: 'yes' } })
    const row = await session()
    same(row.labels, { run: process.env.RUN, user: 'a b&c=ü' }, 'labels')
    same(row.config.timeout_seconds, 120, 'time-out')
    check(row.status === 'ready', 'it is ready')
  },
  'sandbox.isRunning': async () => check(await box.isRunning(), 'it runs'),
  'sandbox.getInfo': async () => {
    has(box, 'getInfo')
    const info = await box.getInfo()
    same(info.sandboxId, box.sandboxId, 'id')
    same(info.metadata.user, 'a b&c=ü', 'metadata')
    check(info.startedAt instanceof Date && info.endAt > info.startedAt, 'times')
  },
  'Sandbox.list': async () => {
    const found = await pages(Sandbox.list({ limit: 1 }))
    check(found.some((one) => one.sandboxId === box.sandboxId), 'it is listed')
  },
  'Sandbox.list (metadata)': async () => {
    const found = await pages(Sandbox.list({ query: { metadata: { user: 'a b&c=ü', run: process.env.RUN } } }))
    same(found.map((one) => one.sandboxId), [box.sandboxId], 'found')
    same(await pages(Sandbox.list({ query: { metadata: { run: process.env.RUN + '-other' } } })), [], 'others')
  },
  'Sandbox.list (state)': async () => {
    const mine = { metadata: { run: process.env.RUN } }
    same((await pages(Sandbox.list({ query: { ...mine, state: ['paused'] } }))).length, 0, 'paused')
    same((await pages(Sandbox.list({ query: { ...mine, state: ['running'] } }))).length, 1, 'running')
  },
  'sandbox.setTimeout': async () => {
    await box.setTimeout(300000)
    const left = (Date.parse((await session()).expires_at) - Date.now()) / 1000
    check(left > 200 && left <= 301, `about 300 seconds are left: ${left}`)
  },
  'Sandbox.connect': async () => {
    const again = await Sandbox.connect(box.sandboxId)
    same((await again.commands.run('echo again')).stdout, 'again\n', 'output')
  },
  'commands.run': async () => {
    const out = []
    const done = await box.commands.run('echo out; echo err >&2; echo "$A $FROM_CREATE"; pwd', {
      envs: { A: 'given' }, cwd: '/tmp', onStdout: (text) => { out.push(text) },
    })
    same([done.stdout, done.stderr, done.exitCode], ['out\ngiven yes\n/tmp\n', 'err\n', 0], 'result')
    same(out.join(''), done.stdout, 'what was streamed')
  },
  'commands.run (exit code)': async () => {
    const error = await fails(box.commands.run('echo before; exit 7'), (one) => one instanceof e2b.CommandExitError)
    same([error.exitCode, error.stdout], [7, 'before\n'], 'result')
  },
  'commands.run (time-out)': async () => {
    await fails(box.commands.run('sleep 600 & wait', { timeoutMs: 500 }), (one) => one instanceof e2b.TimeoutError)
    await until(async () => !(await execute('ps ax')).stdout.includes('sleep 600'), 'the command is killed')
  },
  'commands.run (unicode)': async () => {
    const text = 'äöü€𝄞'.repeat(3000)
    same((await box.commands.run(`printf %s '${text}'`)).stdout, text, 'output')
  },
  'commands.run (background)': async () => {
    const running = await box.commands.run('for i in 1 2 3; do echo $i; done; exec sleep 60', { background: true })
    const listed = await box.commands.list()
    check(listed.some((one) => one.pid === running.pid && one.cmd === '/bin/bash'), 'it is listed')
    const seen = (await rest('GET', `/sessions/${box.sandboxId}/processes`)).value.processes
    check(seen.some((one) => one.pid === running.pid), 'REST sees its pid')
    check(await running.kill(), 'it was killed')
    await fails(running.wait())
    check(!(await box.commands.kill(running.pid)), 'nothing is left to kill')
  },
  'commands.connect': async () => {
    const running = await box.commands.run('cat; echo over', { background: true, stdin: true })
    await running.disconnect()
    const seen = []
    const again = await box.commands.connect(running.pid, { onStdout: (text) => { seen.push(text) } })
    await box.commands.sendStdin(running.pid, 'through\n')
    await until(() => seen.join('') === 'through\n', 'the input comes back')
    check(await again.kill(), 'it was killed')
    await fails(again.wait())
    await fails(box.commands.connect(999999), (one) => one instanceof e2b.NotFoundError)
  },
  'commands.sendStdin': async () => {
    const running = await box.commands.run('read line; echo "got $line"', { background: true, stdin: true })
    await box.commands.sendStdin(running.pid, 'a word\n')
    same((await running.wait()).stdout, 'got a word\n', 'output')
  },
  'commands.closeStdin': async () => {
    has(box.commands, 'closeStdin')
    const running = await box.commands.run('cat; echo over', { background: true, stdin: true })
    await box.commands.sendStdin(running.pid, 'a')
    await box.commands.closeStdin(running.pid)
    same((await running.wait()).stdout, 'aover\n', 'output')
  },
  'pty.create, sendInput, resize, kill': async () => {
    let seen = ''
    const decoder = new TextDecoder()
    const terminal = await box.pty.create({ cols: 81, rows: 25, timeoutMs: 0, onData: (data) => { seen += decoder.decode(data) } })
    const type = (text) => box.pty.sendInput(terminal.pid, new TextEncoder().encode(text))
    await type('stty size; echo $TERM\n')
    await until(() => seen.includes('25 81') && seen.includes('xterm-256color'), 'its size: ' + seen)
    // Not while bash reads a line: readline then sets the size that it has read, and a new one is lost.
    await type(`exec sh -c 'echo re""ady; read x; stty size; exit 3'\n`)
    await until(() => seen.includes('ready'), 'no line is read')
    await box.pty.resize(terminal.pid, { cols: 99, rows: 33 })
    await type('\n')
    await until(() => seen.includes('33 99'), 'its new size')
    await fails(terminal.wait(), (one) => one.exitCode === 3)
  },
  'files.write, read': async () => {
    await box.files.write('dir/a.txt', 'text ü\n')
    same(await file('dir/a.txt'), 'text ü\n', 'by REST')
    same(await box.files.read('dir/a.txt'), 'text ü\n', 'read')
    same(await box.files.read('/home/user/dir/a.txt'), 'text ü\n', 'by its whole name')
    await box.files.write('/tmp/empty', '')
    same(await box.files.read('/tmp/empty'), '', 'an empty one')
  },
  'files.write (many)': async () => {
    const written = await box.files.write([{ path: 'm1', data: 'one' }, { path: 'dir/m2', data: 'two' }])
    same(written.map((one) => one.path), ['/home/user/m1', '/home/user/dir/m2'], 'paths')
    same([await file('m1'), await file('dir/m2')], ['one', 'two'], 'by REST')
  },
  'files.write, read (bytes)': async () => {
    const bytes = new Uint8Array(3 * 1024 * 1024).map((_, i) => i * 7 + (i >> 8))
    await box.files.write('bytes', bytes.buffer)
    const back = await box.files.read('bytes', { format: 'bytes' })
    check(Buffer.from(back).equals(Buffer.from(bytes)), 'the same bytes')
  },
  'files.write, read (stream)': async () => {
    await box.files.write('stream', new Blob(['from a ', 'stream']).stream())
    let text = ''
    for await (const part of await box.files.read('stream', { format: 'stream' })) text += Buffer.from(part).toString()
    same(text, 'from a stream', 'content')
    same(await file('stream'), 'from a stream', 'by REST')
  },
  'files.read (missing)': async () => {
    await fails(box.files.read('nowhere'), (one) => one instanceof e2b.NotFoundError)
  },
  'files.list': async () => {
    await box.files.write('listed/deep/b', 'b')
    await box.files.write('listed/a', 'aa')
    const flat = await box.files.list('listed')
    same(flat.map((one) => [one.name, one.type]), [['a', 'file'], ['deep', 'dir']], 'entries')
    same(flat[0].path, '/home/user/listed/a', 'path')
    if (flat[0].size !== undefined) same([flat[0].size, flat[0].permissions, flat[0].owner], [2, '-rw-r--r--', 'user'], 'details')
    const deep = await box.files.list('listed', { depth: 2 })
    same(deep.map((one) => one.name), ['a', 'deep', 'b'], 'deeper')
  },
  'files.exists': async () => {
    same([await box.files.exists('listed/a'), await box.files.exists('nowhere')], [true, false], 'both')
  },
  'files.getInfo': async () => {
    has(box.files, 'getInfo')
    await execute('ln -s listed/a link')
    const info = await box.files.getInfo('link')
    same([info.type, info.symlinkTarget], ['file', 'listed/a'], 'a link')
  },
  'files.makeDir': async () => {
    same([await box.files.makeDir('made/by/me'), await box.files.makeDir('made/by/me')], [true, false], 'made')
    same((await execute('test -d made/by/me')).exit_code, 0, 'by REST')
  },
  'files.rename': async () => {
    await box.files.write('old', 'moved')
    const info = await box.files.rename('old', 'made/new')
    same([info.path, await file('made/new')], ['/home/user/made/new', 'moved'], 'moved')
  },
  'files.remove': async () => {
    await box.files.remove('made')
    same(await box.files.exists('made'), false, 'gone')
    same((await execute('test -e made')).exit_code, 1, 'by REST')
  },
  'files.watchDir': async () => {
    await box.files.makeDir('watched/below')
    const seen = []
    const watch = await box.files.watchDir('watched', (event) => { seen.push(event.type + ' ' + event.name) }, { recursive: true })
    await execute('echo 1 > watched/one; echo 2 > watched/below/two; rm watched/one')
    for (const one of ['create one', 'create below/two', 'remove one']) {
      await until(() => seen.includes(one), one + ' in ' + seen)
    }
    await watch.stop()
    await fails(box.files.watchDir('nowhere', () => {}), (one) => one instanceof e2b.NotFoundError)
  },
  'sandbox.uploadUrl': async () => {
    const url = await box.uploadUrl('by-url', { useSignatureExpiration: 10000 })
    const form = new FormData()
    form.append('file', new Blob(['uploaded']), 'ignored')
    const answer = await fetch(url, { method: 'POST', body: form })
    same(answer.status, 200, await answer.text())
    same(await file('by-url'), 'uploaded', 'by REST')
    const read = await fetch(url)
    same(read.status, 401, 'it is for writing only')
  },
  'sandbox.downloadUrl': async () => {
    const url = await box.downloadUrl('by-url', { useSignatureExpiration: 10000 })
    const answer = await fetch(url)
    same([answer.status, await answer.text()], [200, 'uploaded'], 'content')
    for (const [name, value] of [['path', 'stream'], ['signature_expiration', '99999999999999999999'],
      ['signature_expiration', '9223372036854775807'], ['signature_expiration', '1'], ['signature', 'v1_x']]) {
      const other = new URL(url)
      other.searchParams.set(name, value)
      const status = (await fetch(other)).status
      check(status === 401 || status === 400, `another ${name} is refused: ${status}`)
    }
  },
  'sandbox.getHost': async () => {
    await execute('mkdir -p site; echo served > site/index.html')
    const server = await box.commands.run('cd site && exec python3 -m http.server 8123', { background: true })
    const host = box.getHost(8123)
    check(host.startsWith('8123-' + box.sandboxId + '.localhost'), host)
    const token = box.trafficAccessToken ?? process.env.E2B_API_KEY
    const name = box.trafficAccessToken ? 'e2b-traffic-access-token' : 'x-api-key'
    const http = require('http')
    const ask = () => new Promise((resolve) => {
      const url = new URL(base)
      http.get({ host: url.hostname, port: url.port, path: '/', headers: { host, [name]: token } }, (answer) => {
        let text = ''
        answer.on('data', (part) => { text += part })
        answer.on('end', () => resolve(text))
      }).on('error', () => resolve(''))
    })
    await until(async () => (await ask()) === 'served\n', 'the page')
    await server.kill()
  },
  'sandbox.getMetrics': async () => {
    has(box, 'getMetrics')
    const [metrics] = await box.getMetrics()
    check(metrics.memTotal > 100e6 && metrics.memUsed > 0 && metrics.cpuCount >= 1, JSON.stringify(metrics))
  },
  'sandbox.pause': async () => {
    const pause = box.pause ?? box.betaPause
    if (typeof pause !== 'function') throw new Absent('pause')
    await box.files.write('/tmp/kept', 'kept')
    await pause.call(box)
    same((await session()).status, 'paused', 'state')
    check(!(await box.isRunning()), 'it does not run')
    const found = await pages(Sandbox.list({ query: { metadata: { run: process.env.RUN }, state: ['paused'] } }))
    same(found.map((one) => one.sandboxId), [box.sandboxId], 'listed as paused')
  },
  'Sandbox.connect (paused)': async () => {
    box = await Sandbox.connect(box.sandboxId, { timeoutMs: 200000 })
    same(await box.files.read('/tmp/kept'), 'kept', 'file')
    const row = await session()
    const left = (Date.parse(row.expires_at) - Date.now()) / 1000
    check(row.status === 'ready' && left > 100 && left < 201, `it has its time: ${left}`)
  },
  'sandbox.createSnapshot': async () => {
    has(box, 'createSnapshot')
    await box.files.write('in-snapshot', 'yes')
    const made = await box.createSnapshot()
    const copy = await Sandbox.create(made.snapshotId)
    same(await copy.files.read('in-snapshot'), 'yes', 'file')
    await copy.kill()
    same((await rest('GET', '/snapshots/' + made.snapshotId)).status, 200, 'by REST')
    if (typeof Sandbox.deleteSnapshot === 'function') {
      check(await Sandbox.deleteSnapshot(made.snapshotId), 'deleted')
      same((await rest('GET', '/snapshots/' + made.snapshotId)).status, 404, 'gone')
    }
  },
  'Sandbox.listSnapshots': async () => {
    if (typeof Sandbox.listSnapshots !== 'function') throw new Absent('listSnapshots')
    const made = await box.createSnapshot()
    const found = await pages(Sandbox.listSnapshots({ sandboxId: box.sandboxId }))
    same(found.map((one) => one.snapshotId), [made.snapshotId], 'of this sandbox')
    await Sandbox.deleteSnapshot(made.snapshotId)
  },
  'Sandbox.getInfo, setTimeout, kill (static)': async () => {
    const other = await Sandbox.create()
    if (typeof Sandbox.getInfo === 'function') same((await Sandbox.getInfo(other.sandboxId)).sandboxId, other.sandboxId, 'id')
    await Sandbox.setTimeout(other.sandboxId, 900000)
    const left = (Date.parse((await session(other.sandboxId)).expires_at) - Date.now()) / 1000
    check(left > 800 && left <= 901, `about 900 seconds are left: ${left}`)
    check(await Sandbox.kill(other.sandboxId), 'killed')
    same((await session(other.sandboxId)).status, 'terminated', 'by REST')
  },
  'Sandbox.create (autoPause)': async () => {
    const create = Sandbox.betaCreate ?? Sandbox.create
    const other = await create.call(Sandbox, { timeoutMs: 1000, autoPause: true, lifecycle: { onTimeout: 'pause' } })
    try {
      const end = await until(async () => {
        const { status } = await session(other.sandboxId)
        return ['paused', 'completed'].includes(status) && status
      }, 'its time is over')
      if (end === 'completed') throw new Absent('autoPause')
    } finally {
      await other.kill()
    }
  },
  'sandbox.git': async () => {
    if (box.git === undefined) throw new Absent('git')
    await box.git.init('repository')
    await box.files.write('repository/a.txt', 'a')
    await box.git.add('repository')
    await box.git.configureUser('A', 'a@example.org', { path: 'repository' })
    await box.git.commit('repository', 'first', { authorName: 'A', authorEmail: 'a@example.org' })
    same((await execute('git -C repository log --format=%s')).stdout, 'first\n', 'by REST')
    check((await box.git.status('repository')).isClean, 'it is clean')
  },
  'sandbox.updateNetwork': async () => {
    has(box, 'updateNetwork')
    const other = await Sandbox.create({ metadata: { run: process.env.RUN + '-net' } })
    try {
      await other.updateNetwork({ denyOut: ['0.0.0.0/0'] })
      const { value } = await rest('GET', `/sessions/${other.sandboxId}/network`)
      same(value.policy.rules.length, 1, 'by REST: ' + JSON.stringify(value))
      same(value.policy.rules[0].action, 'deny', 'the rule')
      same(value.policy.rules[0].target, '*', 'what it denies')
    } finally {
      await other.kill()
    }
  },
  'sandbox.fork': async () => {
    has(box, 'fork')
    await refused(box.fork())
  },
  'Template.build': async () => {
    if (e2b.Template === undefined) throw new Absent('Template')
    await refused(e2b.Template.build(e2b.Template().fromImage('alpine'), { alias: 'x', name: 'x' }))
  },
  'Template.exists': async () => {
    const exists = e2b.Template?.exists ?? e2b.Template?.aliasExists
    if (typeof exists !== 'function') throw new Absent('Template.exists')
    await refused(exists.call(e2b.Template, 'x'))
  },
  'Secret.create': async () => {
    if (typeof e2b.Secret?.create !== 'function') throw new Absent('Secret')
    await refused(e2b.Secret.create('name', 'value'))
  },
  'files.write (gzip)': async () => {
    await refused(box.files.write('packed', 'x'.repeat(1000), { gzip: true }).then(() => { throw new Absent('gzip') }))
  },
  'Volume.create': async () => {
    if (typeof e2b.Volume?.create !== 'function') throw new Absent('Volume')
    await refused(e2b.Volume.create('v'))
  },
  'sandbox.kill': async () => {
    const id = box.sandboxId
    const running = await box.commands.run('sleep 60', { background: true, timeoutMs: 0 })
    await box.kill()
    same((await session(id)).status, 'terminated', 'by REST')
    await fails(running.wait())
    check(!(await box.isRunning()), 'it does not run')
    await fails(box.commands.run('true'))
    await fails(Sandbox.connect(id))
    check(!(await Sandbox.kill(id)), 'a second time there is nothing to kill')
  },
}

const code = {
  'Sandbox.create (interpreter)': async () => { box = await Sandbox.create({ metadata: { run: process.env.RUN } }) },
  runCode: async () => {
    const done = await box.runCode("x = 20\nprint('prints ü')\nx + 1")
    same([done.text, done.logs.stdout.join(''), done.error], ['21', 'prints ü\n', undefined], 'result')
    same((await box.runCode('x * 2')).text, '40', 'it keeps its variables')
    same((await box.runCode("'quoted'")).text, 'quoted', 'a string')
  },
  'runCode (error)': async () => {
    const { error } = await box.runCode("raise ValueError('wrong')")
    same([error.name, error.value], ['ValueError', 'wrong'], 'error')
    check(error.traceback.includes('ValueError'), 'traceback')
  },
  'runCode (streaming)': async () => {
    const seen = []
    await box.runCode("import sys\nprint('out')\nprint('err', file=sys.stderr)", {
      onStdout: (one) => { seen.push('out:' + one.line) }, onStderr: (one) => { seen.push('err:' + one.line) },
    })
    same(seen.map((one) => one.trim()).sort(), ['err:err', 'out:out'], 'streamed')
  },
  'runCode (charts)': async () => {
    const done = await box.runCode("import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [1, 2])\nplt.title('Two bars')\nplt.xlabel('Name')\nplt.show()")
    const chart = done.results.find((one) => one.chart)?.chart
    check(chart !== undefined, 'there is a chart: ' + JSON.stringify(done.logs) + JSON.stringify(done.error))
    same([chart.type, chart.title, chart.elements.map((one) => [one.label, one.value])], ['bar', 'Two bars', [['a', 1], ['b', 2]]], 'chart')
    check(Buffer.from(done.results.find((one) => one.png).png, 'base64').subarray(1, 4).toString() === 'PNG', 'picture')
  },
  'runCode (rich results)': async () => {
    const done = await box.runCode("class Rich:\n  def _repr_html_(self): return '<b>ü</b>'\n  def _repr_markdown_(self): return '**b**'\nRich()")
    same([done.results[0].html, done.results[0].markdown, done.results[0].isMainResult], ['<b>ü</b>', '**b**', true], 'forms')
  },
  'runCode (languages)': async () => {
    same((await box.runCode('const y = 6; y * 7', { language: 'javascript' })).text, '42', 'JavaScript')
    same((await box.runCode('echo $((6 * 7))', { language: 'bash' })).logs.stdout.join(''), '42\n', 'Bash')
    await fails(box.runCode('1', { language: 'r' }))
  },
  'runCode (envs)': async () => {
    same((await box.runCode("import os; os.environ['GIVEN']", { envs: { GIVEN: "it's ü" } })).text, "it's ü", 'Python')
    same((await box.runCode('process.env.GIVEN', { envs: { GIVEN: 'js' }, language: 'javascript' })).text, 'js', 'JavaScript')
  },
  'runCode (time-out)': async () => {
    await fails(box.runCode('import time\nwhile True: time.sleep(0.1)', { timeoutMs: 700 }), (one) => one instanceof e2b.TimeoutError)
    same((await box.runCode('1 + 1')).text, '2', 'the interpreter is free again')
  },
  createCodeContext: async () => {
    const context = await box.createCodeContext({ cwd: '/tmp', language: 'python' })
    same([context.language, context.cwd], ['python', '/tmp'], 'context')
    same((await box.runCode('import os; os.getcwd()', { context })).text, '/tmp', 'its folder')
    same((await box.runCode("'x' in globals()", { context })).text, 'False', 'variables of its own')
    const listed = (await rest('GET', `/sessions/${box.sandboxId}/contexts`)).value.contexts
    check(listed.some((one) => one.id === context.id), 'by REST')
  },
  'listCodeContexts, restart, remove': async () => {
    has(box, 'listCodeContexts', 'restartCodeContext', 'removeCodeContext')
    const context = await box.createCodeContext({})
    check((await box.listCodeContexts()).some((one) => one.id === context.id), 'it is listed')
    await box.runCode('z = 1', { context })
    await box.restartCodeContext(context)
    same((await box.runCode("'z' in globals()", { context })).text, 'False', 'it is a new one')
    await box.removeCodeContext(context)
    const listed = (await rest('GET', `/sessions/${box.sandboxId}/contexts`)).value.contexts
    check(!listed.some((one) => one.id === context.id), 'by REST')
    await fails(box.runCode('1', { context }))
  },
  'sandbox.kill while code runs': async () => {
    const running = fails(box.runCode('import time\ntime.sleep(300)', { timeoutMs: 0 }))
    await until(async () => (await session()).status === 'running', 'the code runs')
    await box.kill()
    await running
  },
}

async function main() {
  let failed = false
  for (const [name, call] of Object.entries(interpreter ? code : calls)) {
    let state = 'works'
    let why
    const patience = new Promise((_, reject) => setTimeout(() => reject(new Error('it hangs')), 120000).unref())
    try {
      await Promise.race([call(), patience])
    } catch (error) {
      state = error instanceof Absent ? 'absent' : error instanceof Refused ? 'refused' : 'fails'
      why = state === 'fails' ? String(error.stack) : String(error.message)
      failed ||= state === 'fails'
    }
    process.stdout.write(JSON.stringify({ call: name, state, why }) + '\n')
    if (box === undefined) break
  }
  process.exit(failed ? 1 : 0)
}
main()
