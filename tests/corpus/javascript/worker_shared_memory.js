// Threads that share memory: atomic counters, waiting and waking, a lock made of both.
const { Worker, isMainThread, workerData } = require("worker_threads");
const cells = new Int32Array(isMainThread ? new SharedArrayBuffer(64) : workerData);
const kGate = 0,
  kCount = 1,
  kLock = 2,
  kPlain = 3;
if (isMainThread) {
  const workers = Array.from({ length: 3 }, () => new Worker(__filename, { workerData: cells.buffer }));
  Atomics.store(cells, kGate, 1);
  Atomics.notify(cells, kGate);
  Promise.all(workers.map((w) => new Promise((resolve) => w.on("exit", resolve)))).then((codes) => {
    console.log(codes, Atomics.load(cells, kCount), cells[kPlain]);
    console.log(Atomics.compareExchange(cells, 4, 0, 9), Atomics.exchange(cells, 4, 5), cells[4]);
    console.log(Atomics.wait(cells, 4, 0), Atomics.wait(cells, 4, 5, 1));
  });
} else {
  Atomics.wait(cells, kGate, 0);
  for (let i = 0; i < 1000; i++) {
    Atomics.add(cells, kCount, 1);
    while (Atomics.compareExchange(cells, kLock, 0, 1) !== 0) Atomics.wait(cells, kLock, 1);
    cells[kPlain] = cells[kPlain] + 2;
    Atomics.store(cells, kLock, 0);
    Atomics.notify(cells, kLock, 1);
  }
}
