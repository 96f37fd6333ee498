// Map, Set, WeakMap, and arrays: order of keys, equality, grouping, holes, copies.
const map = new Map([
  [NaN, "nan"],
  [0, "zero"],
  ["0", "text"],
]);
map.set(-0, "minus zero").delete("missing");
console.log(map.get(NaN), map.get(0), map.size, [...map.keys()]);
const a = new Set([1, 2, 3]),
  b = new Set([3, 4]);
console.log(
  [...a].filter((x) => b.has(x)),
  [...new Set([...a, ...b])],
  [...a].filter((x) => !b.has(x)),
);
const private_ = new WeakMap();
const key = {};
console.log(private_.set(key, 1).get(key), private_.has({}), new WeakRef(key).deref() === key);
const words = ["apple", "avocado", "banana", "cherry", "blueberry"];
const groups = words.reduce((out, w) => ({ ...out, [w[0]]: [...(out[w[0]] ?? []), w] }), {});
console.log(groups, Object.entries({ b: 1, 2: 2, a: 3, 1: 4 }));
const holes = [1, , 3];
console.log(
  holes.length,
  1 in holes,
  holes.map((x) => x * 2),
  holes.flatMap((x) => [x, x]),
  Array(3)
    .fill()
    .map((_, i) => i),
);
const list = [5, 1, 4];
console.log(
  list.splice(1, 1, "x", "y"),
  list,
  list.slice(-2),
  list.at(-1),
  list.concat([[6]], 7),
  list.reverse() === list,
);
console.log(
  [1, [2, [3, [4]]]].flat(Infinity),
  [3, 1, 2].findLast((x) => x > 1),
  Array.from("héy", (c) => c.codePointAt(0)),
  [..."ab"].entries().next(),
);
console.log(
  [1, 2, 3, 4].copyWithin(0, 2),
  [1, 2, 3].lastIndexOf(3),
  Array.of(7).length,
  [,].length,
  [1, 2, 3].some((x) => x > 2),
  [].every((x) => x),
);
class Lru {
  #room;
  #items = new Map();
  constructor(room) {
    this.#room = room;
  }
  get(k) {
    const value = this.#items.get(k);
    if (this.#items.delete(k)) this.#items.set(k, value);
    return value;
  }
  set(k, v) {
    this.#items.delete(k);
    this.#items.set(k, v);
    if (this.#items.size > this.#room) this.#items.delete(this.#items.keys().next().value);
  }
  keys() {
    return [...this.#items.keys()].join();
  }
}
const lru = new Lru(2);
lru.set("a", 1);
lru.set("b", 2);
lru.get("a");
lru.set("c", 3);
console.log(lru.keys(), lru.get("b"));
