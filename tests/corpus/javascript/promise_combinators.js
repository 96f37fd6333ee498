// all, allSettled, any, race, chains that recover, and thenables resolved once.
const later = (ms, value, fail) =>
  new Promise((resolve, reject) => setTimeout(fail ? reject : resolve, ms, value));
const show = (label) => [(v) => console.log(label, v), (e) => console.log(label, "failed", e.errors ?? e)];
(async () => {
  await Promise.all([1, later(2, 2), later(1, 3)]).then(...show("all"));
  await Promise.all([later(5, 1), later(1, "early", true)]).then(...show("all"));
  await Promise.allSettled([later(1, "ok"), later(2, "no", true)]).then(...show("settled"));
  await Promise.any([later(2, "x", true), later(4, "winner"), later(40, "late")]).then(...show("any"));
  await Promise.any([later(1, "x", true), later(2, "y", true)]).then(...show("any"));
  await Promise.race([later(20, "slow"), later(1, "fast")]).then(...show("race"));
  await Promise.race([later(20, "slow"), later(1, "broken", true)]).then(...show("race"));
  const value = await Promise.reject("start")
    .catch((e) => e + " recovered")
    .finally(() => "ignored")
    .then((v) => v.length);
  console.log(value);
  const twice = new Promise((resolve, reject) => {
    resolve("first");
    resolve("second");
    reject("third");
  });
  console.log(await twice);
})();
