// What node keeps to itself and this driver needs; --expose-internals makes it loadable.
'use strict';

// Loading it warns that it is for tests.
function loadBinding(name) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return require('internal/test/binding').internalBinding(name);
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Node aborts when a callback ends otherwise than it began, as one does whose JavaScript is stopped.
// This is what its option --no-force-async-hooks-checks does.
function tolerateStops() {
  const { async_hook_fields: fields, constants } = loadBinding('async_wrap');
  fields[constants.kCheck] = 0;
}

module.exports = { loadBinding, tolerateStops };
