// MIME bundles: how a value is shown. An object may offer its own forms by a method named
// Symbol.for('atoll.mime') or Symbol.for('Jupyter.display') that returns {type: content}.
'use strict';

const { inspect, types: { isPromise, isProxy } } = require('util');
const json = require('./json');

const MAX_TEXT = 1024 * 1024;
const MAX_BUNDLE = 16 * 1024 * 1024;
const MAX_JSON_NODES = 100_000;
const MAX_JSON_DEPTH = 60; // the host takes 64, the bundle among them
const MAX_TYPES = 60; // besides text/plain; the host takes 64
const MAX_TYPE_BYTES = 250; // in JSON; the host takes 256
const MAX_REFUSALS = 4096; // characters about what is left out
const METHODS = [Symbol.for('atoll.mime'), Symbol.for('Jupyter.display')];

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
  if (typeof value !== 'object' || isProxy(value)) return false;
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
    return isPlain(value, 0, { nodes: MAX_JSON_NODES }) && json.encode(value).length <= MAX_TEXT;
  } catch {
    return false;
  }
}

// One form as JSON, or undefined.
function content(type, value) {
  if (type === 'application/json' || type.endsWith('+json')) return json.encode(value);
  if (!ArrayBuffer.isView(value)) return json.encode(String(value));
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return json.encode(bytes.toString('base64'));
}

// Why the host would not take a form, or undefined.
function refusal(type, text, count) {
  if (count > MAX_TYPES) return 'there are too many';
  if (Buffer.byteLength(json.encode(type)) > MAX_TYPE_BYTES) return 'its name is too long';
  return json.depthOf(text) > MAX_JSON_DEPTH ? 'it is nested too deeply' : undefined;
}

// The JSON of `forms` with text/plain beside them, and small enough.
function bundleOf(forms, value) {
  const bundle = { __proto__: null };
  let plain;
  let leftOut = '';
  let count = 0;
  for (const [type, each] of Object.entries(forms)) {
    if (type === 'text/plain') {
      plain = String(each);
      continue;
    }
    const text = content(type, each);
    if (text === undefined) continue;
    count += 1;
    const why = refusal(type, text, count);
    if (why === undefined) bundle[type] = text;
    else if (leftOut.length < MAX_REFUSALS) leftOut += `\n(${type.slice(0, 100)} is left out: ${why})`;
  }
  bundle['text/plain'] = json.encode((plain ?? plainText(value)) + leftOut);
  const text = json.object(bundle);
  if (Buffer.byteLength(text) <= MAX_BUNDLE) return text;
  const types = cut(Object.keys(forms).join(', '), 1000);
  return json.object({ 'text/plain': json.encode(`[not shown: larger than 16 MiB: ${types}]`) });
}

function ownForms(value) {
  const isObject = value !== null && (typeof value === 'object' || typeof value === 'function');
  if (!isObject || isProxy(value)) return undefined;
  const method = METHODS.find((each) => typeof value[each] === 'function');
  return method && value[method]();
}

// A bundle, or a promise of one when the object's own method is asynchronous.
function mimeBundle(value) {
  const forms = ownForms(value);
  if (isPromise(forms)) return forms.then((each) => bundleOf(each, value));
  return bundleOf(forms ?? (isJson(value) ? { 'application/json': value } : {}), value);
}

module.exports = { bundleOf, cut, mimeBundle, plainText };
