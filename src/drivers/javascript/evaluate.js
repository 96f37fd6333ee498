// Runs rewritten code as scripts in the global scope.
'use strict';

const vm = require('vm');

// Where node has it: import() also works in code that eval() makes.
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

function compile(text, filename, columns) {
  const options = { filename, columnOffset: -columns };
  if (importModuleDynamically) options.importModuleDynamically = importModuleDynamically;
  return new vm.Script(text, options);
}

function define(name, value) {
  const property = { value, writable: true, configurable: true, enumerable: true };
  Object.defineProperty(globalThis, name, property);
}

// Makes room for a variable. A global that is a getter, like `crypto`, would swallow an assignment.
function declare(name) {
  const property = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!property) define(name, undefined);
  else if (property.get && property.configurable) define(name, globalThis[name]);
}

// Compiles everything before anything runs. Returns a function that runs it and returns its value.
function prepare(cell, filename) {
  const before = cell.before === '' ? null : compile(cell.before, filename, 0);
  const script = compile(cell.text, filename, cell.columns);
  return () => {
    for (const name of cell.names) declare(name);
    if (before) before.runInThisContext({ displayErrors: false });
    return script.runInThisContext({ displayErrors: false });
  };
}

// For code that the parser of the rewriting refuses. The engine has the last word: it may know
// newer syntax or bear deeper nesting, and then the code runs as it is. Its complaint also reads
// better than another parser's, unless it is only about what a script may not have.
function prepareAsIs(code, filename, refusal) {
  try {
    return prepare({ text: code, columns: 0, before: '', names: [] }, filename);
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError('the code is nested too deeply');
    if (!/\b(await|import|export)\b/.test(error.message)) throw error;
  }
  const error = new SyntaxError(refusal.message.replace(/ \(\d+:\d+\)$/, ''));
  const { line, column } = refusal.loc ?? { line: 1, column: 0 };
  error.stack = `${filename}:${line}\n\n${' '.repeat(column)}^`; // as the engine puts it
  throw error;
}

module.exports = { prepare, prepareAsIs };
