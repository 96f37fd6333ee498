// process.stdout, process.stderr and console as messages, so that both stay in order. Programs that
// are started inherit the descriptors 1 and 2 themselves.
'use strict';

const { Console } = require('console');
const { Writable } = require('stream');

const MAX_MESSAGE = 64 * 1024;

// Keeps no state: a stream that is stopped in the middle of its bookkeeping would hang forever.
class MessageStream extends Writable {
  constructor(fd, send) {
    super();
    this.fd = fd;
    this.send = send;
  }

  write(chunk, encoding, done) {
    if (typeof encoding === 'function') return this.write(chunk, undefined, encoding);
    if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk)) {
      throw new TypeError('the chunk must be a string or bytes');
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding || 'utf8')
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; at += MAX_MESSAGE) {
      this.send(bytes.subarray(at, at + MAX_MESSAGE));
    }
    if (done) process.nextTick(done);
    return true;
  }

  // Outlives the code that ends it, as the streams of a program outlive its functions.
  end(chunk, encoding, done) {
    if (typeof chunk === 'function') return this.end(undefined, undefined, chunk);
    if (typeof encoding === 'function') return this.end(chunk, undefined, encoding);
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (done) process.nextTick(done);
    return this;
  }

  destroy() {
    return this;
  }
}

// send(word, bytes) sends one message.
function installStreams(send) {
  for (const [name, fd] of [['stdout', 1], ['stderr', 2]]) {
    const stream = new MessageStream(fd, (bytes) => send(name, bytes));
    Object.defineProperty(process, name, { value: stream, configurable: true, enumerable: true });
  }
  // A console for these streams only: node's own also reports to the inspector, and may have met
  // the real streams. The object stays the same for those who have imported it.
  const plain = new Console({ stdout: process.stdout, stderr: process.stderr });
  for (const name of Object.keys(plain)) console[name] = plain[name];
}

module.exports = { installStreams };
