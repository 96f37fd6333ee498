// Errors as the user sees them: frames of the user's code only, and places named like `cell 3:2:7`.
'use strict';

const { inspect, types: { isNativeError } } = require('util');
const { cut } = require('./mime');

const MAX_MESSAGE = 64 * 1024;
const MAX_TRACEBACK = 256 * 1024;
const MAX_EXCERPT_LINE = 200;
const DRIVER = '[eval]'; // what node calls a script that was given with -e

const cellName = (run) => `cell-${run}`; // in sourceURL, which has no blanks
const readable = (text) => text.replace(/\bcell-(\d+):(?=\d)/g, 'cell $1:');

// Stacks end where the driver begins, also those that the code prints itself.
function prepareStackTrace(error, frames) {
  const shown = [];
  for (const frame of frames) {
    const file = frame.getFileName() ?? '';
    if (!file.startsWith(DRIVER)) shown.push(frame);
    else if (shown.at(-1)?.getFileName() === 'node:vm') break;
  }
  let head;
  try {
    head = Error.prototype.toString.call(error);
  } catch {
    head = 'Error';
  }
  if (shown.at(-1)?.getFileName() === 'node:vm') shown.pop();
  return readable(head + shown.map((frame) => `\n    at ${frame}`).join(''));
}

function withoutInternals(text) {
  const lines = [];
  for (const line of text.split('\n')) {
    if (!/^\s+at .*?(\bnode:|\[eval\])/.test(line)) lines.push(line);
    else if (line.endsWith(' {') && lines.length > 0) lines[lines.length - 1] += ' {';
  }
  return lines.join('\n');
}

// `place`: {line, column}, counted from 1.
function excerpt(cell, place) {
  const line = place ? cell.code.split('\n', place.line)[place.line - 1] : undefined;
  if (line === undefined || line.length > MAX_EXCERPT_LINE) return '';
  const blanks = line.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
  return `cell ${cell.run}:${place.line}\n${line}\n${blanks}^\n`;
}

// Of the first frame in this cell, or of a syntax error, whose stack begins with it.
function placeIn(stack, run) {
  const syntax = new RegExp(`^cell-${run}:(\\d+)\\n.*\\n( *)\\^`).exec(stack);
  if (syntax) return { line: Number(syntax[1]), column: syntax[2].length + 1 };
  const frame = new RegExp(`\\bcell[ -]${run}:(\\d+):(\\d+)`).exec(stack);
  return frame && { line: Number(frame[1]), column: Number(frame[2]) };
}

// Whether the code waited for a program that this signal ended, as execSync() reports it.
function endedBySignal(thrown, name) {
  return isNativeError(thrown) &&
    Object.getOwnPropertyDescriptor(thrown, 'signal')?.value === name;
}

function isError(value) {
  return isNativeError(value) || value instanceof Error;
}

function textOf(error) {
  try {
    const text = withoutInternals(readable(inspect(error)));
    return isError(error) ? text.replace(/^\[([^]*)\]$/, '$1') : text; // brackets: it has no frames
  } catch {
    return 'an error that cannot be shown';
  }
}

function stringOf(value, fallback) {
  try {
    return value === undefined ? fallback : cut(String(value), MAX_MESSAGE);
  } catch {
    return fallback;
  }
}

// The body of an `error` message.
function describe(thrown, cell) {
  try {
    return describeAny(thrown, cell);
  } catch {
    const evalue = 'an error that cannot be shown';
    return { ename: 'Error', evalue, traceback: `Error: ${evalue}` };
  }
}

function describeAny(thrown, cell) {
  if (!isError(thrown)) {
    const evalue = cut(textOf(thrown), MAX_MESSAGE);
    return { ename: 'Uncaught', evalue, traceback: `Uncaught ${evalue}` };
  }
  let ename = 'Error';
  let evalue = '';
  let stack = '';
  try {
    ename = stringOf(thrown.name, ename);
    evalue = stringOf(thrown.message, evalue);
    stack = stringOf(thrown.stack, stack);
  } catch {
    // A getter of the error's own threw: it stays without them.
  }
  const isSyntax = stack.startsWith(`${cellName(cell.run)}:`);
  const text = isSyntax ? `${ename}: ${evalue}` : textOf(thrown);
  const where = excerpt(cell, placeIn(stack, cell.run));
  return { ename, evalue, traceback: cut(where + text, MAX_TRACEBACK) };
}

module.exports = { cellName, describe, endedBySignal, prepareStackTrace, textOf };
