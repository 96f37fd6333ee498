// TypeScript by leaving the types out, where node can do it (22.13 and newer).
'use strict';

const { stripTypeScriptTypes } = require('module');

const isAvailable = typeof stripTypeScriptTypes === 'function';
const UNAVAILABLE = `TypeScript needs node 22.13 or newer, and this is node ${process.versions.node}`;
const MAX_DEPTH = 200; // node's stripper breaks for good when its stack overflows, at some 600

function bracketDepth(code) {
  let depth = 0;
  let most = 0;
  for (let i = 0; i < code.length; i++) {
    if ('([{'.includes(code[i])) most = Math.max(most, ++depth);
    else if (')]}'.includes(code[i])) depth -= 1;
  }
  return most;
}

function strip(code, mode) {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // that it is experimental
  try {
    return stripTypeScriptTypes(code, { mode });
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Keeps every place. What has a meaning at run time, like an enum, needs more, and loses columns.
function stripTypes(code) {
  if (!isAvailable) throw new SyntaxError(UNAVAILABLE);
  if (bracketDepth(code) > MAX_DEPTH) throw new SyntaxError('the code is nested too deeply');
  try {
    return strip(code, 'strip');
  } catch (error) {
    try {
      return strip(code, 'transform');
    } catch {
      throw new SyntaxError(String(error.message).trim());
    }
  }
}

module.exports = { isAvailable, UNAVAILABLE, stripTypes };
