// The controller: a worker thread that reads the control socket, hands runs to the main thread one
// at a time, and ends a run that is interrupted or wants to exit, even when the main thread is
// stuck.
'use strict';

const inspector = require('inspector');
const net = require('net');
const { parentPort, workerData } = require('worker_threads');
const { loadBinding } = require('./internals');
const messages = require('./messages');
const { RUN, PONG, SETTLED, lock, unlock, locked } = require('./shared');

// The public way to hear signals is closed to workers; the binding below it is not.
const { Signal } = loadBinding('signal_wrap');

const SIGINT = 2;
const INTERRUPTED = 130;
const ANSWER_MS = 50; // a main thread that answers within this time is waiting, not computing
const AGAIN_MS = 200;
const LEAVE_MS = 200;

const { words, ready } = workerData;
const queue = [];
let count = 0;
let interrupted = 0; // the last run that was
let ending = Promise.resolve(); // one end at a time

function startNext() {
  if (Atomics.load(words, RUN) !== 0 || queue.length === 0) return;
  count += 1;
  Atomics.store(words, RUN, count);
  parentPort.postMessage({ type: 'run', run: count, code: queue.shift() });
}

// Stops whatever JavaScript the main thread is in; resolves when that has unwound. No `catch` or
// `finally` of the code runs. A session is made for each stop: one that stays delays node's exit.
function stopMainThread() {
  const session = new inspector.Session();
  session.connectToMainThread();
  return new Promise((resolve) => {
    // It may wait for a program that was started just after the signal had come.
    const again = setInterval(() => process.kill(0, 'SIGINT'), AGAIN_MS);
    session.post('Runtime.terminateExecution', () => {
      clearInterval(again);
      session.disconnect();
      resolve();
    });
  });
}

// Waits a moment for the main thread to turn its event loop and give up what the run has left
// there. To answer it needs the lock: who holds the lock and sees no answer knows that the answer's
// handler is still to come, and will take a stop upon itself.
async function ping(run) {
  parentPort.postMessage({ type: 'ping', run });
  for (let ms = 0; ms < ANSWER_MS && Atomics.load(words, PONG) !== run; ms += 2) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function stopAndFinish(run, parked, writeLast) {
  let mustStop = parked;
  for (;;) {
    if (!mustStop) await ping(run);
    lock(words);
    try {
      const going = run !== 0 && Atomics.load(words, RUN) === run;
      mustStop = mustStop || (going && Atomics.load(words, PONG) !== run);
      if (mustStop) {
        await stopMainThread();
        mustStop = false;
      } else {
        if (going) {
          writeLast();
          Atomics.store(words, RUN, 0);
        }
        break;
      }
    } finally {
      unlock(words);
    }
  }
  startNext();
}

// `parked`: the main thread waits for nothing but its stop.
function endRun(run, parked, writeLast) {
  ending = ending.then(() => stopAndFinish(run, parked, writeLast));
}

function interrupt() {
  const run = Atomics.load(words, RUN);
  if (run === 0 || run === interrupted) return;
  interrupted = run;
  endRun(run, false, () => {
    messages.writeError(words, {
      ename: 'Interrupted',
      evalue: 'the run was interrupted',
      traceback: 'Interrupted: the run was interrupted',
    });
    messages.writeDone(words, run, INTERRUPTED);
  });
}

function leave() {
  parentPort.postMessage({ type: 'leave' });
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LEAVE_MS); // when the main thread is stuck
}

const read = messages.createReader((word, body) => {
  if (word === 'settled') {
    Atomics.add(words, SETTLED, 1);
    Atomics.notify(words, SETTLED);
    return;
  }
  if (word === 'run') queue.push(body.toString('utf8'));
  setImmediate(startNext); // after the signals that came before it
});
const signal = new Signal();
signal.onsignal = interrupt;
signal.start(SIGINT);

parentPort.on('message', (message) => {
  if (message.type === 'idle') startNext();
  if (message.type === 'exit') {
    endRun(message.run, true, () => messages.writeDone(words, message.run, message.code));
  }
});

const socket = new net.Socket({ fd: messages.CONTROL_FD, readable: true, writable: false });
socket.on('data', (chunk) => {
  try {
    read(chunk);
  } catch {
    leave();
  }
});
socket.on('error', leave);
socket.on('end', leave);
locked(words, () => messages.write(words, 'ready', JSON.stringify(ready)));
