// Generators: laziness, two-way values, return, throw, delegation, iterators by hand.
function* naturals() {
  for (let n = 1; ; n++) yield n;
}
const take = function* (count, source) {
  for (const value of source) {
    if (count-- <= 0) return;
    yield value;
  }
};
console.log([...take(5, naturals())]);
function* averager() {
  let total = 0,
    count = 0,
    average;
  for (;;) {
    try {
      total += yield average;
      average = total / ++count;
    } catch (error) {
      console.log("told:", error.message);
    }
  }
}
const mean = averager();
mean.next();
console.log([10, 20, 60].map((v) => mean.next(v).value));
mean.throw(new Error("no number"));
console.log(mean.next(30), mean.return("bye"), mean.next());
function* inner() {
  const got = yield 1;
  console.log("inner got", got);
  return "inner result";
}
function* outer() {
  try {
    console.log("outer saw", yield* inner());
    yield* [2, 3];
  } finally {
    console.log("outer closed");
  }
}
const g = outer();
console.log(g.next().value, g.next("hello").value);
console.log(g.return("early"), g.next());
class Countdown {
  constructor(from) {
    this.from = from;
  }
  *[Symbol.iterator]() {
    for (let n = this.from; n > 0; n--) yield n;
  }
}
console.log(
  Math.max(...new Countdown(4)),
  [...new Countdown(3)],
  Object.fromEntries(new Map([["k", 1]]).entries()),
);
