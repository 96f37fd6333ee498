// The main thread: makes the world that the user's code sees, runs it, and reports how it ended.
'use strict';

const { isPromise } = require('util').types;
const { Worker } = require('worker_threads');
const { rewrite } = require('./cells');
const { waitUntilRead, watchChildren } = require('./children');
const { installDisplay } = require('./display');
const errors = require('./errors');
const { prepare, prepareAsIs } = require('./evaluate');
const { tolerateStops } = require('./internals');
const messages = require('./messages');
const { mimeBundle } = require('./mime');
const { installModules } = require('./modules');
const { RUN, PONG, createWords, locked, park } = require('./shared');
const { installStreams } = require('./streams');
const { forgetTimersSince, mark } = require('./timers');
const typescript = require('./typescript');

const { setImmediate, setTimeout } = globalThis; // the code may put others in their place
const HEARD_MS = 200; // an interrupt that has ended a program has reached the controller by then
const words = createWords();
const isTypeScript = process.argv[1] === 'typescript';
let started = 0; // the run that this thread has begun last
let timersBefore = 0;
let controller;
let unsettled = false; // something was sent that may not be read yet

function send(word, body) {
  unsettled = true;
  locked(words, () => messages.write(words, word, body));
}

function settle() {
  if (!unsettled || Atomics.load(words, RUN) === 0) return;
  waitUntilRead(words, () => send('settle', ''));
  unsettled = false;
}

// Ends the run, unless the controller has done so. `last`: {error} or {result}.
function finish(run, last, exitCode) {
  locked(words, () => {
    if (Atomics.load(words, RUN) !== run) return;
    if (last.error) messages.writeError(words, last.error);
    if (last.result) messages.write(words, 'result', last.result);
    messages.writeDone(words, run, exitCode);
    Atomics.store(words, RUN, 0);
  });
  controller.postMessage({ type: 'idle' });
}

// After whatever else ends with this turn of the event loop, such as the report of a rejection.
function finishSoon(run, last, exitCode) {
  setImmediate(() => finish(run, last, exitCode));
}

function fail(cell, thrown) {
  const last = { __proto__: null, error: errors.describe(thrown, cell) };
  // SIGINT goes to the program that the code waits for, too, and its end may be seen here before
  // the controller has heard the signal. The run was interrupted all the same.
  if (errors.endedBySignal(thrown, 'SIGINT')) setTimeout(finish, HEARD_MS, cell.run, last, 1);
  else finishSoon(cell.run, last, 1);
}

function takeExitCode() {
  const code = Number(process.exitCode ?? 0) & 0xff;
  process.exitCode = undefined;
  return code;
}

// Plain JavaScript of the code, or {error}.
function rewriteAny(code) {
  if (isTypeScript) return rewrite(typescript.stripTypes(code));
  const rewritten = rewrite(code);
  if (!rewritten.error || !typescript.isAvailable) return rewritten;
  try {
    const stripped = rewrite(typescript.stripTypes(code));
    return stripped.error ? rewritten : stripped;
  } catch {
    return rewritten; // no TypeScript either
  }
}

// A promise as the last expression is waited for: `main()` ends when its work does.
async function showResult(cell, value) {
  try {
    const settled = isPromise(value) ? await value : value;
    const result = settled === undefined ? null : await mimeBundle(settled);
    finishSoon(cell.run, { __proto__: null, result }, takeExitCode());
  } catch (thrown) {
    fail(cell, thrown);
  }
}

function runCell(cell) {
  if (Atomics.load(words, RUN) !== cell.run) return;
  started = cell.run;
  timersBefore = mark();
  try {
    const name = errors.cellName(cell.run);
    const rewritten = rewriteAny(cell.code);
    const evaluate = rewritten.error
      ? prepareAsIs(cell.code, name, rewritten.error) : prepare(rewritten, name);
    const value = evaluate();
    showResult(cell, rewritten.hasResult === false && !rewritten.isAsync ? undefined : value);
  } catch (thrown) {
    fail(cell, thrown);
  }
}

// Ends the run, not the context: the controller stops this thread's JavaScript, `finally` and all.
let exiting = false;
function exit(code) {
  if (code !== undefined) process.exitCode = code;
  if (!exiting) {
    exiting = true;
    try {
      process.emit('exit', Number(process.exitCode ?? 0));
    } finally {
      process.removeAllListeners('exit');
      exiting = false;
    }
  }
  const run = Atomics.load(words, RUN) === started ? started : 0;
  if (run !== 0) forgetTimersSince(timersBefore);
  controller.postMessage({ type: 'exit', run, code: takeExitCode() });
  for (;;) park(words);
}

// What nobody caught, in timers and promises too, is reported and kills nothing.
function reportUncaught(thrown) {
  try {
    if (process.listenerCount('uncaughtException') > 0) {
      process.emit('uncaughtException', thrown, 'uncaughtException');
    } else {
      process.stderr.write(`Uncaught ${errors.textOf(thrown)}\n`);
    }
  } catch (another) { // of the code's own listener or stream
    send('stderr', `Uncaught ${errors.textOf(thrown)}\nand ${errors.textOf(another)}\n`);
  }
}

// The controller wants to end this run, and asks whether it has to use force.
function answer(run) {
  if (Atomics.load(words, RUN) === run) forgetTimersSince(timersBefore);
  locked(words, () => Atomics.store(words, PONG, run));
}

function onMessage({ type, run, code }) {
  if (type === 'run') runCell({ run, code });
  if (type === 'ping') answer(run);
  if (type === 'leave') reallyExit(0);
}

const reallyExit = process.exit.bind(process);

function start() {
  tolerateStops();
  process.exit = exit;
  Error.prepareStackTrace = errors.prepareStackTrace;
  installStreams(send);
  installDisplay((bundle) => send('display', bundle));
  installModules(process.cwd());
  watchChildren(settle);
  process.setUncaughtExceptionCaptureCallback(reportUncaught);

  const language = isTypeScript ? 'typescript' : 'javascript';
  const ready = { language, version: process.versions.node };
  if (isTypeScript && !typescript.isAvailable) ready.problem = typescript.UNAVAILABLE;
  controller = new Worker(bundleSource, { eval: true, workerData: { words, ready } });
  controller.on('message', onMessage);
  controller.on('error', (error) => {
    process.stderr.write(`the controller of this context failed: ${error.stack}\n`);
    reallyExit(70);
  });
}

setImmediate(start); // node puts its modules into the global scope only after this script
