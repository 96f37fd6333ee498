// Runs a test file with node:test, in a sandbox where nothing of the solution runs; what judge.py
// is for pytest. argv: the test file, in a folder of its own. Begins with wire.js.
const path = require('node:path');
const lines = new Lines();
const file = process.argv[2];
const printed = { text: '' };
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (text, coding, done) => {
    if (printed.text.length < 65536) printed.text += String(text);
    const after = typeof coding === 'function' ? coding : done;
    if (after) process.nextTick(after);
    return true;
  };
}
globalThis.atollJudge = { tell: writeLine, printed };
const numbers = new WeakMap();

class Judge extends Wire {
  isRemote(v) { return numbers.has(v); }
  encodeObject(v) {
    if (numbers.has(v)) return { $: 'm', i: numbers.get(v) };
    if (typeof v === 'function') return { $: 'h', i: this.keep(v) };
    throw new TypeError('a solution takes plain data and functions: it runs in another process');
  }
  decodeObject(v) {
    if (v.$ === 'm') return this.own.get(v.i);
    const made = remote(v.i);
    if (v.p !== true) return made;
    const promise = Promise.resolve().then(() => this.ask('await', v.i));
    promise.catch(() => {});  // it may be awaited later
    numbers.set(promise, v.i);
    return promise;
  }
  ask(op, number, more = {}) {
    if (this.gone) throw new Error(this.gone);
    const args = more.args ?? [];
    writeLine({ call: JSON.stringify({ op, h: number, n: more.name, s: more.self, a: this.encode(args) }) });
    for (;;) {
      const answer = JSON.parse(lines.next() ?? '{"gone":"the server has left"}');
      if ('gone' in answer) throw new Error(this.gone = String(answer.gone));
      process.stdout.write((answer.out ?? '') + (answer.err ?? ''));
      if ('cb' in answer) {
        writeLine({ call: JSON.stringify(this.callBack(answer)) });
        continue;
      }
      for (const [i, now] of answer.m ?? []) if (Object.hasOwn(args, Number(i))) replace(args[Number(i)], this.decode(now));
      if ('x' in answer) throw this.decodeError(answer.x);
      return op === 'load' ? answer.r : this.decode(answer.r);
    }
  }
  callBack(answer) {
    try {
      return { r: this.encode(this.own.get(answer.cb)(...this.decode(answer.a))) };
    } catch (error) {
      return { x: String(error) };
    }
  }
}

function replace(mine, now) {
  if (Array.isArray(mine) && Array.isArray(now)) mine.splice(0, mine.length, ...now);
  else if (mine instanceof Map || mine instanceof Set) {
    mine.clear();
    for (const one of now) mine instanceof Map ? mine.set(...one) : mine.add(one);
  } else if (mine && typeof mine === 'object') {
    for (const name of Object.keys(mine)) if (!(name in now)) delete mine[name];
    Object.assign(mine, now);
  }
}

const judge = new Judge();

// An object of the solution. Methods are called on it there.
function remote(number) {
  const made = new Proxy(function () {}, {
    get(target, name) {
      if (name === Symbol.hasInstance) return (v) => v instanceof Error && (v[kClasses] ?? []).includes(number);
      if (name === Symbol.toPrimitive || name === require('node:util').inspect.custom) return () => judge.ask('text', number);
      if (typeof name === 'symbol') return undefined;
      if (name === 'prototype') return target.prototype;
      if (name === 'then') return undefined;
      return judge.ask('get', number, { name });
    },
    set(_, name, value) { judge.ask('set', number, { name, args: [value] }); return true; },
    has(_, name) { return typeof name === 'string' && judge.ask('has', number, { name }) === true; },
    apply(_, self, args) {
      const owner = self != null && numbers.has(self) ? numbers.get(self) : undefined;
      return judge.ask('call', number, { args, self: owner });
    },
    construct(_, args) { return judge.ask('new', number, { args }); },
  });
  numbers.set(made, number);
  return made;
}

// Named imports of ES modules must stand in a text.
function writeStandIns(names) {
  const folder = path.dirname(file);
  const plain = names.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default');
  const common = 'const s = globalThis.atollJudge.solution;\nmodule.exports = s;\n' + plain.map((n) => `exports.${n} = s[${JSON.stringify(n)}];\n`).join('');
  const module = 'const s = globalThis.atollJudge.solution;\nexport default s.default ?? s;\n' + plain.map((n) => `const v_${n} = s[${JSON.stringify(n)}];\nexport { v_${n} as ${n} };\n`).join('');
  const isModule = file.endsWith('.mjs');
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: isModule ? 'module' : 'commonjs' }));
  for (const name of ['solution.js', 'solution.mjs', 'solution.cjs', 'node_modules/solution/index.mjs', 'node_modules/solution/index.cjs']) {
    const asModule = name.endsWith('.mjs') || (name.endsWith('.js') && isModule);
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), asModule ? module : common);
  }
  fs.writeFileSync(path.join(folder, 'node_modules/solution/package.json'),
    JSON.stringify({ name: 'solution', exports: { import: './index.mjs', require: './index.cjs' } }));
}

function failed(name, error) {
  writeLine({ test: { name, outcome: 'error', message: String(error?.stack ?? error).slice(0, 4000), duration_ms: 0, stdout: printed.text } });
}

process.on('uncaughtException', (error) => failed('the test file', error));
(async () => {
  let loaded;
  try {
    loaded = judge.ask('load');
  } catch (error) {
    return failed('the solution', error);
  }
  try {
    globalThis.atollJudge.solution = remote(loaded.root.i);
    writeStandIns(loaded.names);
    await import(require('node:url').pathToFileURL(file));
  } catch (error) {
    failed('the test file', error);
  }
})();
