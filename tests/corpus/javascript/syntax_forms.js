// Forms of the language: destructuring, spread, defaults, optional chaining, labels, tagged templates, scope.
const { a, b: { c: [, second] = [] } = {}, ...others } = { a: 1, b: { c: [10, 20] }, x: 7, y: 8 };
console.log(a, second, others, [...[1, 2], ..."ab"], { ...{ p: 1, q: 2 }, q: 3 });
let p = 1,
  q = 2;
[p, q] = [q, p];
console.log(
  p,
  q,
  ((first, ...rest) => rest.length + first)(1, 2, 3),
  ((x = 5, y = x * 2) => [x, y])(undefined, null),
);
const deep = { list: [{ name: "n" }], call: null };
console.log(
  deep?.list?.[0]?.name,
  deep.none?.deeper.still,
  deep.call?.(),
  deep.list[5]?.name ?? "fallback",
  0 || "or",
  0 ?? "nullish",
);
outer: for (let i = 0; i < 3; i++) {
  for (let j = 0; j < 3; j++) {
    if (j === 2) continue outer;
    if (i === 2) break outer;
    process.stdout.write(`${i}${j} `);
  }
}
const tag = (strings, ...values) =>
  strings.raw.map((s, i) => s + (i < values.length ? `[${typeof values[i]}]` : "")).join("");
console.log(
  tag`a${1}\n${"x"}b`,
  String.raw`C:\new`,
  `multi
line`,
);
console.log(typeof hoisted, hoisted(), typeof notYet, typeof null, typeof (() => 1), void 0, (1, 2));
function hoisted() {
  return "hoisted";
}
var notYet = 1;
try {
  early;
  let early = 1;
} catch (error) {
  console.log(error.name);
}
switch (3) {
  case 1:
    console.log("one");
  default:
    console.log("default");
  case 2:
    console.log("falls to two");
    break;
  case 4:
    console.log("four");
}
console.log(
  [] + {},
  [] == false,
  null == 0,
  "5" * "2",
  "5" + 2,
  1 < 2 < 3,
  3 > 2 > 1,
  [10, 9].toString(),
  +true,
  !!"0",
);
const object = {
  get now() {
    return "getter";
  },
  ["computed" + 1]: 1,
  async *gen() {},
  __proto__: { inherited: true },
};
console.log(object.now, object.computed1, object.inherited, Object.keys(object));
var x = 1;
{
  var x = 2;
}
console.log(
  x,
  (() => {
    try {
      return 1;
    } finally {
      process.stdout.write("finally first ");
    }
  })(),
  7 ** 2,
  -7 % 3,
  1_000_000,
);
let n = null;
n ??= 4;
n ||= 5;
n &&= 6;
console.log(
  n,
  new Function("a", "b", "return a * b")(6, 7),
  (function () {
    return typeof this;
  })(),
  eval("var z = 3; z + 1"),
);
