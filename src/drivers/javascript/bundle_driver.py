#!/usr/bin/env python3
"""Makes one script of the JavaScript driver's modules, to be given to node as an argument.

usage: bundle_driver.py OUT.js
"""
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
MAX_BYTES = 120 << 10  # Linux takes 128 KiB as one argument

# Both threads run the same script; the main one hands its text to the worker. What it uses of the global scope
# it keeps as it was at the start: the code may put others in their place.
HEAD = """(function bundle(globalThis) {
'use strict';
const bundleSource = `(${bundle})(globalThis)`;
const outside = require;
const { create, getOwnPropertyDescriptors } = globalThis.Object;
const copied = (name) => create(null, getOwnPropertyDescriptors(globalThis[name]));
const [Array, ArrayBuffer, Atomics, Buffer, JSON, Math, Object] =
  ['Array', 'ArrayBuffer', 'Atomics', 'Buffer', 'JSON', 'Math', 'Object'].map(copied);
const { console, process, Error, Function, Number, Promise, RangeError, RegExp, Set, String, Symbol, SyntaxError,
  TypeError, URL } = globalThis;
const modules = {
"""
TAIL = """};
const loaded = {};
function load(name) {
  if (!loaded[name]) {
    const module = loaded[name] = { exports: {} };
    modules[name]((wanted) => wanted.startsWith('./') ? load(wanted.slice(2)) : outside(wanted), module);
  }
  return loaded[name].exports;
}
load(outside('worker_threads').isMainThread ? 'main' : 'controller');
})(globalThis)
"""


def bundle():
    parts = [HEAD]
    for path in sorted(FOLDER.glob("*.js")):
        parts.append(f"'{path.stem}'(require, module) {{\n{path.read_text(encoding='utf-8')}}},\n")
    return "".join(parts) + TAIL


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    script = bundle()
    if len(script.encode()) > MAX_BYTES:
        sys.exit(f"bundle_driver: {len(script.encode())} bytes, at most {MAX_BYTES} fit into one argument")
    pathlib.Path(sys.argv[1]).write_text(script, encoding="utf-8")


if __name__ == "__main__":
    main()
