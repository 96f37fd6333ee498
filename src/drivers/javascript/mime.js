// MIME bundles: how a value is shown. An object may offer its own forms by a method named
// Symbol.for('atoll.mime') or Symbol.for('Jupyter.display') that returns {type: content}.
'use strict';

const util = require('util');

const MAX_TEXT = 1024 * 1024;
const MAX_BUNDLE = 16 * 1024 * 1024;
const MAX_JSON_NODES = 100_000;
const MAX_JSON_DEPTH = 100;
const METHODS = [Symbol.for('atoll.mime'), Symbol.for('Jupyter.display')];
const inspect = util.inspect;

function cut(text, limit) {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (cut, ${text.length} characters)`;
}

function plainText(value) {
  try {
    return cut(inspect(value, { depth: 4, maxStringLength: MAX_TEXT }), MAX_TEXT);
  } catch (error) {
    return `[a value that cannot be shown: ${cut(String(error?.message), 1000)}]`;
  }
}

// Data that JSON carries without loss: no cycles, no classes, nothing undefined.
function isPlain(value, depth, budget) {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > MAX_JSON_DEPTH) return false;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || util.types.isProxy(value)) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1, budget)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if (Object.getOwnPropertySymbols(value).length > 0) return false;
  if (typeof value.toJSON === 'function') return false;
  return Object.keys(value).every((key) => isPlain(value[key], depth + 1, budget));
}

function isJson(value) {
  try {
    return isPlain(value, 0, { nodes: MAX_JSON_NODES }) && JSON.stringify(value).length <= MAX_TEXT;
  } catch {
    return false;
  }
}

function content(type, value) {
  if (type === 'application/json' || type.endsWith('+json')) return value;
  if (!ArrayBuffer.isView(value)) return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
}

// `forms` with text/plain beside them, and small enough.
function bundleOf(forms, value) {
  const bundle = {};
  for (const [type, each] of Object.entries(forms)) bundle[type] = content(type, each);
  if (typeof bundle['text/plain'] !== 'string') bundle['text/plain'] = plainText(value);
  if (Buffer.byteLength(JSON.stringify(bundle)) <= MAX_BUNDLE) return bundle;
  return { 'text/plain': `[not shown: larger than 16 MiB: ${Object.keys(forms).join(', ')}]` };
}

function ownForms(value) {
  const isObject = value !== null && (typeof value === 'object' || typeof value === 'function');
  if (!isObject || util.types.isProxy(value)) return undefined;
  const method = METHODS.find((each) => typeof value[each] === 'function');
  return method && value[method]();
}

// A bundle, or a promise of one when the object's own method is asynchronous.
function mimeBundle(value) {
  const forms = ownForms(value);
  if (util.types.isPromise(forms)) return forms.then((each) => bundleOf(each, value));
  return bundleOf(forms ?? (isJson(value) ? { 'application/json': value } : {}), value);
}

module.exports = { bundleOf, cut, mimeBundle, plainText };
