// Towers, permutations, power sets, mutual recursion, flattening by hand.
const hanoi = (n, from, to, by) =>
  n ? [...hanoi(n - 1, from, by, to), from + to, ...hanoi(n - 1, by, to, from)] : [];
console.log(hanoi(3, "A", "C", "B").join(" "), hanoi(10, "A", "C", "B").length);
const permutations = (items) =>
  items.length < 2
    ? [items]
    : items.flatMap((x, i) => permutations(items.filter((_, j) => j !== i)).map((p) => [x, ...p]));
console.log(
  permutations([..."abc"])
    .map((p) => p.join(""))
    .join(" "),
);
const powerSet = ([first, ...rest]) =>
  first === undefined ? [[]] : powerSet(rest).flatMap((s) => [s, [first, ...s]]);
console.log(JSON.stringify(powerSet([1, 2, 3])));
const isEven = (n) => n === 0 || isOdd(n - 1);
const isOdd = (n) => n !== 0 && isEven(n - 1);
console.log(isEven(500), isOdd(500));
const flatten = (list) => list.reduce((out, x) => out.concat(Array.isArray(x) ? flatten(x) : x), []);
console.log(flatten([1, [2, [3, [4, []], 5]], [[6]]]));
const ackermann = (m, n) => (m === 0 ? n + 1 : ackermann(m - 1, n === 0 ? 1 : ackermann(m, n - 1)));
console.log([0, 1, 2, 3].map((n) => ackermann(2, n)));
