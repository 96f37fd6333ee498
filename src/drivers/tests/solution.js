// Runs the solution for a judge in another sandbox: argv is its file. What it prints goes with the
// next answer. Begins with wire.js.
const { pathToFileURL } = require('node:url');
const lines = new Lines();
let printed = { out: '', err: '' };
const kLongest = 256 * 1024;
for (const [stream, name] of [[process.stdout, 'out'], [process.stderr, 'err']]) {
  stream.write = (text, coding, done) => {
    if (printed[name].length < kLongest) printed[name] += String(text);
    const after = typeof coding === 'function' ? coding : done;
    if (after) process.nextTick(after);
    return true;
  };
}

function say(message) {
  writeLine({ ...message, ...printed });
  printed = { out: '', err: '' };
}

class Solution extends Wire {
  isRemote() { return false; }
  encodeObject(v) {
    if (typeof v === 'symbol') return { $: 'u' };
    if (v.atollCallback !== undefined) return { $: 'm', i: v.atollCallback };
    return { $: 'h', i: this.keep(v), p: typeof v.then === 'function' };
  }
  decodeObject(v) {
    if (v.$ === 'm') return this.own.get(v.i);
    const callback = (...args) => {
      say({ cb: v.i, a: this.encode(args) });
      const answer = JSON.parse(lines.next() ?? process.exit(0));
      if ('x' in answer) throw new Error(answer.x);
      return this.decode(answer.r);
    };
    callback.atollCallback = v.i;
    return callback;
  }
}

const wire = new Solution();
async function act(request) {
  const thing = wire.own.get(request.h);
  const args = wire.decode(request.a ?? []);
  const self = request.s === undefined ? undefined : wire.own.get(request.s);
  switch (request.op) {
    case 'load': {
      const module = await import(pathToFileURL(process.argv[2]));
      const whole = { ...module };
      delete whole['module.exports'];
      const names = module.default && ['object', 'function'].includes(typeof module.default) && !process.argv[2].endsWith('.mjs') ? module.default : whole;
      return { value: { root: wire.encodeObject(names), names: Object.keys(names) }, raw: true };
    }
    case 'get': return { value: thing[request.n] };
    case 'set': thing[request.n] = args[0]; return { value: undefined };
    case 'has': return { value: request.n in thing };
    case 'keys': return { value: Object.keys(thing) };
    case 'await': return { value: await thing };
    case 'text': return { value: require('node:util').inspect(thing) };
    case 'new': return { value: Reflect.construct(thing, args), args };
    default: return { value: Reflect.apply(thing, self, args), args };
  }
}

(async () => {
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const request = JSON.parse(line);
    try {
      const done = await act(request);
      const answer = { r: done.raw ? done.value : wire.encode(done.value) };
      const changed = (done.args ?? []).map((a, i) => [i, typeof a === 'object' && a !== null ? wire.encode(a) : null])
        .filter(([i, a]) => a !== null && JSON.stringify(a) !== JSON.stringify(request.a[i]));
      if (changed.length > 0) answer.m = changed;
      say(answer);
    } catch (error) {
      say({ x: wire.encodeError(error instanceof Error ? error : new Error(String(error))) });
    }
  }
  process.exit(0);
})();
