// Messages on the control socket (docs/context-protocol.md): written at once and in order, read as
// they come.
'use strict';

const { writeSync } = require('fs');
const json = require('./json');
const { park } = require('./shared');

const { resourceUsage } = process;
const CONTROL_FD = 3;
const MAX_HEADER = 64;
const MAX_BODY = 256 * 1024 * 1024;

// The caller holds the lock. The reader has made the socket non-blocking: a full one is waited for.
function write(words, word, body) {
  const content = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const data = Buffer.concat([Buffer.from(`${word} ${content.length}\n`), content]);
  for (let at = 0; at < data.length;) {
    try {
      at += writeSync(CONTROL_FD, data, at);
    } catch (error) {
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') return; // the reader sees the end
      if (error.code !== 'EAGAIN') throw error;
      park(words, 1);
    }
  }
}

function writeError(words, { ename, evalue, traceback }) {
  write(words, 'error', json.object({
    ename: json.encode(ename),
    evalue: json.encode(evalue),
    traceback: json.encode(traceback),
  }));
}

function writeDone(words, run, exitCode) {
  const used = resourceUsage();
  write(words, 'done', json.object({
    execution_count: run,
    exit_code: exitCode,
    cpu_user_us: used.userCPUTime,
    cpu_system_us: used.systemCPUTime,
    memory_peak_kb: used.maxRSS,
  }));
}

// Feeds on chunks, calls onMessage(word, body) for each whole message, throws on a broken header.
function createReader(onMessage) {
  let chunks = [];
  let size = 0;
  let wanted = null; // {word, length} once the header is read

  function readHeader() {
    const data = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    chunks = [data];
    const end = data.indexOf(10);
    if (end < 0 && size < MAX_HEADER) return false;
    const match = /^([a-z]+) (\d{1,10})$/.exec(data.toString('latin1', 0, Math.max(end, 0)));
    if (!match || Number(match[2]) > MAX_BODY) throw new Error('not a message');
    wanted = { word: match[1], length: Number(match[2]) };
    chunks = [data.subarray(end + 1)];
    size -= end + 1;
    return true;
  }

  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size > 0 || wanted) {
      if (!wanted && !readHeader()) return;
      if (size < wanted.length) return;
      const data = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      const { word, length } = wanted;
      wanted = null;
      size = data.length - length;
      chunks = [data.subarray(length)];
      onMessage(word, data.subarray(0, length));
    }
  };
}

module.exports = { CONTROL_FD, write, writeError, writeDone, createReader };
