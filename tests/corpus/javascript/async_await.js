// async and await: order, errors, loops, limits on what runs at one time, a mutex.
const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));
async function fails() {
  await null;
  throw new Error("async failure");
}
async function pool(limit, jobs) {
  const results = [];
  let next = 0,
    running = 0,
    most = 0;
  await Promise.all(
    Array.from({ length: limit }, async () => {
      while (next < jobs.length) {
        const index = next++;
        most = Math.max(most, ++running);
        results[index] = await jobs[index]();
        running--;
      }
    }),
  );
  return { results, most };
}
class Mutex {
  #tail = Promise.resolve();
  run(job) {
    const turn = this.#tail.then(job);
    this.#tail = turn.catch(() => {});
    return turn;
  }
}
(async () => {
  try {
    await fails();
  } catch (error) {
    console.log("caught", error.message);
  } finally {
    console.log("finally");
  }
  console.log(await Promise.all([sleep(8, "slow"), sleep(1, "fast"), "plain"]));
  console.log(
    await pool(
      3,
      [5, 1, 4, 2, 3].map((n) => () => sleep(n, n * n)),
    ),
  );
  const mutex = new Mutex(),
    order = [];
  await Promise.all([6, 3, 1].map((ms) => mutex.run(async () => order.push(await sleep(ms, ms)))));
  console.log(order);
  for await (const value of [sleep(2, "a"), "b", sleep(1, "c")]) process.stdout.write(value + " ");
  console.log(await { then: (resolve) => resolve("thenable") });
})();
