// Forgets the timers that an interrupted run has left: a loop that sleeps ends with its run.
'use strict';

const { AsyncResource } = require('async_hooks');

const { clearImmediate, clearTimeout } = globalThis; // the code may put others in their place

// Node's own lists; best effort where they look different.
function allTimers() {
  const found = [];
  try {
    const { immediateQueue, timerListMap } = require('internal/timers');
    for (const list of Object.values(timerListMap)) {
      for (let timer = list._idlePrev; timer && timer !== list; timer = timer._idlePrev) {
        found.push([timer, clearTimeout]);
      }
    }
    for (let each = immediateQueue.head; each; each = each._idleNext) {
      found.push([each, clearImmediate]);
    }
  } catch {
    // What was found until here is forgotten.
  }
  return found;
}

// A number that every timer made from now on exceeds.
function mark() {
  const resource = new AsyncResource('ATOLL_RUN', { requireManualDestroy: true });
  return resource.asyncId();
}

function idOf(timer) {
  const isId = (symbol) => symbol.description === 'asyncId';
  const symbol = Object.getOwnPropertySymbols(timer).find(isId);
  return symbol === undefined ? -1 : timer[symbol];
}

function forgetTimersSince(since) {
  for (const [timer, clear] of allTimers()) if (idOf(timer) > since) clear(timer);
}

module.exports = { forgetTimersSince, mark };
