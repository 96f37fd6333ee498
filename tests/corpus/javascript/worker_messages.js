// Worker threads: data in, messages both ways, transfer of memory, results of several in order.
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
if (isMainThread) {
  const run = (data, transfer) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(__filename, { workerData: data, transferList: transfer });
      const got = [];
      worker.on("message", (message) => got.push(message));
      worker.on("error", reject);
      worker.on("exit", (code) => resolve({ got, code }));
      worker.postMessage({ add: 5, when: new Date(0), map: new Map([["k", [1, 2n]]]) });
    });
  (async () => {
    const results = await Promise.all([10, 100, 1000].map((limit) => run({ limit })));
    results.forEach((result) => console.log(result.got[0], result.code));
    console.log(results[0].got[1]);
    const buffer = new ArrayBuffer(1024);
    const moved = await run({ limit: 1, buffer }, [buffer]);
    console.log(buffer.byteLength, moved.got[2]);
  })();
} else {
  let sum = 0;
  for (let i = 1; i <= workerData.limit; i++) sum += i * i;
  parentPort.once("message", (message) => {
    parentPort.postMessage(sum + message.add);
    parentPort.postMessage({ date: message.when.toISOString(), map: message.map.get("k") });
    if (workerData.buffer) parentPort.postMessage(workerData.buffer.byteLength);
  });
}
