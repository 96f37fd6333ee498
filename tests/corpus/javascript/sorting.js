// Sorting: by text, by number, stable, by several keys, by hand, natural order.
const numbers = Array.from({ length: 40 }, (_, i) => (i * 7919) % 101);
const quick = ([pivot, ...rest]) =>
  pivot === undefined
    ? []
    : [...quick(rest.filter((x) => x < pivot)), pivot, ...quick(rest.filter((x) => x >= pivot))];
const merge = (list) => {
  if (list.length < 2) return list;
  const left = merge(list.slice(0, list.length / 2)),
    right = merge(list.slice(list.length / 2)),
    out = [];
  while (left.length && right.length) out.push(left[0] <= right[0] ? left.shift() : right.shift());
  return [...out, ...left, ...right];
};
const sorted = [...numbers].sort((a, b) => a - b);
console.log(
  String(quick(numbers)) === String(sorted),
  String(merge(numbers)) === String(sorted),
  sorted.slice(0, 6),
);
console.log([10, 9, 1, 100, undefined, -1].sort(), [true, "b", 3, null, "a"].sort());
const people = [
  ["Eve", 30],
  ["bob", 25],
  ["Ann", 30],
  ["dan", 25],
];
console.log(
  [...people]
    .sort((a, b) => a[1] - b[1])
    .map(([n]) => n)
    .join(),
);
console.log(
  [...people]
    .sort((a, b) => b[1] - a[1] || (a[0].toLowerCase() < b[0].toLowerCase() ? -1 : 1))
    .map(([n]) => n)
    .join(),
);
const natural = (text) =>
  text
    .split(/(\d+)/)
    .map((part) => (/\d/.test(part) ? part.padStart(10, "0") : part))
    .join("");
console.log(["f10", "f9", "f1b", "f1"].sort((a, b) => (natural(a) < natural(b) ? -1 : 1)).join());
const heap = [];
const push = (x) => {
  heap.push(x);
  for (let i = heap.length - 1, p; i > 0 && heap[(p = (i - 1) >> 1)] > heap[i]; i = p)
    [heap[p], heap[i]] = [heap[i], heap[p]];
};
const pop = () => {
  const top = heap[0],
    last = heap.pop();
  if (heap.length) {
    heap[0] = last;
    for (let i = 0, c; (c = 2 * i + 1) < heap.length; i = c) {
      if (c + 1 < heap.length && heap[c + 1] < heap[c]) c++;
      if (heap[i] <= heap[c]) break;
      [heap[c], heap[i]] = [heap[i], heap[c]];
    }
  }
  return top;
};
numbers.forEach(push);
console.log(String(numbers.map(pop)) === String(sorted));
