// The global display(value), and display.html(…) and its kin for content of a known type.
'use strict';

const { isPromise } = require('util').types;
const { bundleOf, mimeBundle } = require('./mime');

const TEXTS = {
  html: 'text/html',
  svg: 'image/svg+xml',
  markdown: 'text/markdown',
  latex: 'text/latex',
  text: 'text/plain',
};
const IMAGES = { png: 'image/png', jpeg: 'image/jpeg', pdf: 'application/pdf' };

// send(bundle) sends one `display` message.
function installDisplay(send) {
  function display(...values) {
    const later = [];
    for (const value of values) {
      const bundle = mimeBundle(value);
      if (isPromise(bundle)) later.push(bundle.then(send));
      else send(bundle);
    }
    return later.length > 0 ? Promise.all(later).then(() => undefined) : undefined;
  }
  for (const [name, type] of Object.entries(TEXTS)) {
    display[name] = (text) => send(bundleOf({ 'text/plain': String(text), [type]: String(text) }));
  }
  // Bytes, or text that is base64 already.
  for (const [name, type] of Object.entries(IMAGES)) {
    display[name] = (data) => send(bundleOf({ 'text/plain': `<${type}>`, [type]: data }));
  }
  display.json = (value) => send(bundleOf({ 'application/json': value }, value));
  display.mime = (forms) => send(bundleOf(forms, forms));
  Object.defineProperty(globalThis, 'display',
    { value: display, writable: true, configurable: true, enumerable: false });
}

module.exports = { installDisplay };
