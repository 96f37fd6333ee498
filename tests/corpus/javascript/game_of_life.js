// A cellular automaton, an elementary one, and a spiral of numbers.
const step = (live) => {
  const near = new Map();
  for (const cell of live) {
    const [x, y] = cell.split(",").map(Number);
    for (const dx of [-1, 0, 1])
      for (const dy of [-1, 0, 1])
        if (dx || dy) near.set(`${x + dx},${y + dy}`, (near.get(`${x + dx},${y + dy}`) ?? 0) + 1);
  }
  return new Set(
    [...near].filter(([cell, n]) => n === 3 || (n === 2 && live.has(cell))).map(([cell]) => cell),
  );
};
const show = (live, w, h) =>
  Array.from({ length: h }, (_, y) =>
    Array.from({ length: w }, (_, x) => (live.has(`${x},${y}`) ? "█" : "·")).join(""),
  ).join("\n");
let board = new Set(["1,0", "2,1", "0,2", "1,2", "2,2", "7,1", "7,2", "7,3"]);
console.log(show(board, 10, 5));
for (let i = 0; i < 4; i++) board = step(board);
console.log(show(board, 10, 5));
let row = "0".repeat(15) + "1" + "0".repeat(15);
for (let i = 0; i < 8; i++) {
  console.log(row.replace(/0/g, " ").replace(/1/g, "#"));
  row = [...row]
    .map((_, j) => (30 >> parseInt((row[j - 1] ?? 0) + row[j] + (row[j + 1] ?? 0), 2)) & 1)
    .join("");
}
const spiral = (n) => {
  const grid = Array.from({ length: n }, () => Array(n).fill(0));
  for (let i = 1, r = 0, c = 0, dr = 0, dc = 1; i <= n * n; i++) {
    grid[r][c] = i;
    if (grid[r + dr]?.[c + dc] !== 0) [dr, dc] = [dc, -dr];
    r += dr;
    c += dc;
  }
  return grid;
};
console.log(
  spiral(4)
    .map((line) => line.map((n) => String(n).padStart(3)).join(""))
    .join("\n"),
);
