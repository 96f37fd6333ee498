// JSON that the host takes: well-formed, bounded in depth, and the same whatever the code has done to
// the prototypes.
'use strict';

const { stringify } = JSON;
const { hasOwn } = Object;
const indexOf = Function.prototype.call.bind(String.prototype.indexOf);
const slice = Function.prototype.call.bind(String.prototype.slice);

// Half a surrogate pair, which stringify() writes as an escape, is no character.
function wellFormed(json) {
  let text = '';
  let at = 0;
  for (let i = indexOf(json, '\\'); i >= 0; i = indexOf(json, '\\', i + 2)) {
    if (json[i + 1] !== 'u' || json[i + 2] !== 'd') continue;
    text += `${slice(json, at, i)}\\ufffd`;
    at = i + 6;
  }
  return text + slice(json, at);
}

// undefined for what JSON does not have, such as a function.
function encode(value) {
  const json = stringify(value);
  return json === undefined ? undefined : wellFormed(json);
}

// How deeply arrays and objects are nested in a JSON text.
function depthOf(json) {
  if (json[0] === '"') return 0;
  let depth = 0;
  let most = 0;
  for (let i = 0; i < json.length; i++) {
    const c = json[i];
    if (c === '"') {
      for (i += 1; json[i] !== '"'; i++) if (json[i] === '\\') i += 1;
    } else if (c === '[' || c === '{') {
      depth += 1;
      if (depth > most) most = depth;
    } else if (c === ']' || c === '}') {
      depth -= 1;
    }
  }
  return most;
}

// An object of members that are JSON already; those that are undefined are left out. Not by
// stringify(): a toJSON() in Object.prototype would have its say.
function object(members) {
  let text = '';
  for (const name in members) {
    if (!hasOwn(members, name) || members[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${encode(name)}:${members[name]}`;
  }
  return `{${text}}`;
}

module.exports = { depthOf, encode, object };
