// Closures: counters that share nothing, loop variables, currying, memoising, once, this.
function counter(start = 0, step = 1) {
  let value = start;
  return { next: () => (value += step), reset: () => (value = start) };
}
const a = counter();
const b = counter(100, -10);
console.log(a.next(), a.next(), b.next(), a.reset(), a.next(), b.next());
var shared = [];
for (var i = 0; i < 3; i++) shared.push(() => i);
const own = [];
for (let j = 0; j < 3; j++) own.push(() => j);
console.log(
  shared.map((f) => f()),
  own.map((f) => f()),
);
const curry = (f, ...bound) =>
  bound.length >= f.length ? f(...bound) : (...more) => curry(f, ...bound, ...more);
console.log(curry((x, y, z) => x * y + z)(2)(3)(4), curry((x, y) => x - y, 9)(4));
let calls = 0;
const once = (f) => {
  let done = false,
    result;
  return (...args) => (done ? result : ((done = true), (result = f(...args))));
};
const start = once((word) => `${word} ${++calls}`);
console.log(start("first"), start("second"), calls);
const compose =
  (...steps) =>
  (x) =>
    steps.reduce((value, step) => step(value), x);
console.log(
  compose(
    (x) => x + 1,
    (x) => x * 10,
    String,
  )(4) + "!",
);
const thing = {
  name: "thing",
  arrow: () => typeof this.name,
  method() {
    return [1].map(() => this.name)[0];
  },
};
console.log(thing.arrow(), thing.method(), thing.method.call({ name: "other" }));
