// Graphs: shortest ways, levels, order of tasks, cycles, islands in a grid, union-find.
const roads = [
  ["a", "b", 7],
  ["a", "c", 9],
  ["a", "f", 14],
  ["b", "c", 10],
  ["b", "d", 15],
  ["c", "d", 11],
  ["c", "f", 2],
  ["d", "e", 6],
  ["e", "f", 9],
];
const near = {};
for (const [p, q, length] of roads) {
  (near[p] ??= {})[q] = length;
  (near[q] ??= {})[p] = length;
}
function shortest(start) {
  const best = { [start]: 0 },
    open = new Set(Object.keys(near));
  while (open.size) {
    const node = [...open].reduce((x, y) => ((best[y] ?? Infinity) < (best[x] ?? Infinity) ? y : x));
    open.delete(node);
    for (const [other, length] of Object.entries(near[node]))
      best[other] = Math.min(best[other] ?? Infinity, best[node] + length);
  }
  return best;
}
console.log(shortest("a"));
function order(needs) {
  const state = new Map(),
    out = [];
  const visit = (job) => {
    if (state.get(job) === "done") return;
    if (state.get(job) === "open") throw new Error(`cycle at ${job}`);
    state.set(job, "open");
    (needs[job] ?? []).forEach(visit);
    state.set(job, "done");
    out.push(job);
  };
  Object.keys(needs).forEach(visit);
  return out;
}
console.log(order({ shoes: ["socks", "trousers"], coat: ["shirt", "belt"], belt: ["trousers"] }).join(" "));
try {
  order({ x: ["y"], y: ["z"], z: ["x"] });
} catch (error) {
  console.log(error.message);
}
const grid = ["##..#", "#..##", "..#..", "##..."].map((row) => [...row]);
let islands = 0;
const sink = (r, c) => {
  if (grid[r]?.[c] !== "#") return 0;
  grid[r][c] = ".";
  return 1 + sink(r + 1, c) + sink(r - 1, c) + sink(r, c + 1) + sink(r, c - 1);
};
const sizes = [];
grid.forEach((row, r) =>
  row.forEach((_, c) => {
    const size = sink(r, c);
    if (size) {
      islands++;
      sizes.push(size);
    }
  }),
);
console.log(islands, sizes);
const parent = new Map(Object.keys(near).map((n) => [n, n]));
const find = (n) => (parent.get(n) === n ? n : find(parent.get(n)));
let weight = 0;
for (const [p, q, length] of [...roads].sort((x, y) => x[2] - y[2]))
  if (find(p) !== find(q)) {
    parent.set(find(p), find(q));
    weight += length;
  }
console.log("tree", weight);
