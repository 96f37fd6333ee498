// Programs that the code starts write to pipes, the code's own prints are messages: what was printed
// before a program starts is read before it does.
'use strict';

const { loadBinding } = require('./internals');
const { SETTLED } = require('./shared');

const PATIENCE_MS = 500; // a reader that is busy longer, as with a client that does not read, is not waited for

// ask() asks the reader to say that it has read what was sent so far.
function waitUntilRead(words, ask) {
  const before = Atomics.load(words, SETTLED);
  ask();
  Atomics.wait(words, SETTLED, before, PATIENCE_MS);
}

function watchChildren(settle) {
  const bindings = [[loadBinding('spawn_sync'), 'spawn'],
    [loadBinding('process_wrap').Process.prototype, 'spawn']];
  for (const [owner, name] of bindings) {
    const start = owner[name];
    owner[name] = function spawn(...args) {
      settle();
      return Reflect.apply(start, this, args);
    };
  }
}

module.exports = { waitUntilRead, watchChildren };
