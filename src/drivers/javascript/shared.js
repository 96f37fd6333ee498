// What both threads see: a few words of shared memory, and the lock around the control socket.
//
// The main thread runs the user's code. The controller, a worker, reads the socket and the signals,
// so that it can act while the main thread is stuck. It stops the main thread's JavaScript only
// while it holds the lock: so no message is ever cut in half, and nobody dies with the lock.
'use strict';

const RUN = 0; // number of the run that is going on, 0 when there is none
const PONG = 1; // number of the run in which the main thread last answered a ping
const LOCK = 2;
const PARK = 3; // never changes: to wait on it is to wait for the end
const SETTLED = 4; // how often the reader has said that it has read all

function createWords() {
  return new Int32Array(new SharedArrayBuffer(5 * 4));
}

function lock(words) {
  while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1);
}

function unlock(words) {
  Atomics.store(words, LOCK, 0);
  Atomics.notify(words, LOCK);
}

// In one function, so that a stack overflow cannot come between taking the lock and the `try`.
function locked(words, action) {
  while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) Atomics.wait(words, LOCK, 1);
  try {
    return action();
  } finally {
    unlock(words);
  }
}

// Waits until the controller stops this thread's JavaScript, or for `ms`.
function park(words, ms) {
  Atomics.wait(words, PARK, 0, ms);
}

module.exports = { RUN, PONG, SETTLED, createWords, lock, unlock, locked, park };
