// What the judge of a test file and the solution's process say to each other, as wire.py has it:
// one JSON value a line, plain data by value, other objects as a number.
'use strict';
const fs = require('node:fs');

class Lines {
  constructor() { this.rest = Buffer.alloc(0); this.pause = new Int32Array(new SharedArrayBuffer(4)); }
  // undefined at the end.
  next() {
    for (;;) {
      const end = this.rest.indexOf(10);
      if (end >= 0) {
        const line = this.rest.subarray(0, end).toString();
        this.rest = this.rest.subarray(end + 1);
        return line;
      }
      const piece = Buffer.alloc(65536);
      let got = 0;
      try {
        got = fs.readSync(0, piece);
      } catch (error) {
        if (error.code === 'EOF') return undefined;
        if (error.code !== 'EAGAIN') throw error;
        Atomics.wait(this.pause, 0, 0, 1);
        continue;
      }
      if (got === 0) return undefined;
      this.rest = Buffer.concat([this.rest, piece.subarray(0, got)]);
    }
  }
}

function writeLine(value) {
  const bytes = Buffer.from(JSON.stringify(value) + '\n');
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

const kErrors = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };

class Wire {
  constructor() { this.own = new Map(); this.numbers = new Map(); this.last = 0; }
  keep(thing) {
    if (!this.numbers.has(thing)) {
      this.numbers.set(thing, ++this.last);
      this.own.set(this.last, thing);
    }
    return this.numbers.get(thing);
  }
  encode(v) {
    if (v === null || typeof v === 'boolean' || typeof v === 'string') return v;
    if (typeof v === 'number') return Number.isFinite(v) && !Object.is(v, -0) ? v : { $: 'num', v: Object.is(v, -0) ? '-0' : String(v) };
    if (v === undefined) return { $: 'u' };
    if (typeof v === 'bigint') return { $: 'i', v: String(v) };
    if (typeof v === 'object' && !this.isRemote(v)) {
      if (Array.isArray(v)) return Array.from(v, (x) => this.encode(x));
      if (v instanceof Date) return { $: 'date', v: Number(v) };
      if (v instanceof Map) return { $: 'map', v: Array.from(v, ([k, x]) => [this.encode(k), this.encode(x)]) };
      if (v instanceof Set) return { $: 'set', v: Array.from(v, (x) => this.encode(x)) };
      if (v instanceof Uint8Array) return { $: 'b', v: Buffer.from(v).toString('base64') };
      if (v instanceof Error) return { $: 'x', v: this.encodeError(v) };
      const shape = Object.getPrototypeOf(v);
      if (shape === Object.prototype || shape === null) return { $: 'o', v: Object.entries(v).map(([k, x]) => [k, this.encode(x)]) };
    }
    return this.encodeObject(v);
  }
  decode(v) {
    if (Array.isArray(v)) return v.map((x) => this.decode(x));
    if (v === null || typeof v !== 'object') return v;
    switch (v.$) {
      case 'num': return Number(v.v);
      case 'u': return undefined;
      case 'i': return BigInt(v.v);
      case 'date': return new Date(v.v);
      case 'map': return new Map(v.v.map(([k, x]) => [this.decode(k), this.decode(x)]));
      case 'set': return new Set(v.v.map((x) => this.decode(x)));
      case 'b': return Buffer.from(v.v, 'base64');
      case 'x': return this.decodeError(v.v);
      case 'o': {
        const made = {};
        for (const [k, x] of v.v) Object.defineProperty(made, k, { value: this.decode(x), enumerable: true, writable: true, configurable: true });
        return made;
      }
      default: return this.decodeObject(v);
    }
  }
  // Names of its classes, the nearest first, and the numbers of those that are no built-in ones.
  encodeError(error) {
    const made = { names: [], classes: [], message: String(error.message), own: {}, stack: String(error.stack).slice(0, 4000) };
    for (let at = Object.getPrototypeOf(error); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      if (typeof at.constructor !== 'function') continue;
      made.names.push(at.constructor.name);
      if (!Object.values(kErrors).includes(at.constructor)) made.classes.push(this.keep(at.constructor));
    }
    for (const [k, x] of Object.entries(error)) made.own[k] = this.encode(x);
    return made;
  }
  decodeError(v) {
    const base = kErrors[v.names.find((name) => Object.hasOwn(kErrors, name))] ?? Error;
    const error = new base(String(v.message));
    error.name = String(v.names[0] ?? 'Error');
    for (const [k, x] of Object.entries(v.own)) if (k !== 'name' && k !== 'stack') error[k] = this.decode(x);
    Object.defineProperty(error, kClasses, { value: v.classes });
    return error;
  }
}
const kClasses = Symbol('classes');
