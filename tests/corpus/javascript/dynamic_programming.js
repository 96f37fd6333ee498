// Tables: edit distance, knapsack, longest common part, coins, partitions.
const edit = (a, b) => {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
};
const common = (a, b) => {
  const table = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(""));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i][j] =
        a[i - 1] === b[j - 1]
          ? table[i - 1][j - 1] + a[i - 1]
          : table[i - 1][j].length >= table[i][j - 1].length
            ? table[i - 1][j]
            : table[i][j - 1];
  return table[a.length][b.length];
};
const knapsack = (items, room) => {
  const best = Array(room + 1).fill(0);
  for (const [weight, value] of items)
    for (let s = room; s >= weight; s--) best[s] = Math.max(best[s], best[s - weight] + value);
  return best[room];
};
const coins = (amount, kinds) => {
  const ways = [1, ...Array(amount).fill(0)];
  for (const kind of kinds) for (let i = kind; i <= amount; i++) ways[i] += ways[i - kind];
  return ways[amount];
};
const partitions = (n, most = n, memo = new Map()) => {
  if (n <= 0) return n === 0 ? 1 : 0;
  const key = n * 1000 + most;
  if (!memo.has(key)) {
    let sum = 0;
    for (let k = Math.min(n, most); k > 0; k--) sum += partitions(n - k, k, memo);
    memo.set(key, sum);
  }
  return memo.get(key);
};
console.log(edit("kitten", "sitting"), edit("", "abc"), edit("intention", "execution"));
console.log(
  common("the island tide", "their silent ride"),
  knapsack(
    [
      [9, 150],
      [68, 45],
      [32, 65],
      [61, 90],
      [12, 35],
    ],
    120,
  ),
);
console.log(
  [5, 10, 50, 200].map((n) => coins(n, [1, 2, 5, 10, 20, 50, 100, 200])),
  partitions(50),
);
