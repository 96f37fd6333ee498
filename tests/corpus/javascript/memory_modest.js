// Many objects and large buffers in turn, so that garbage must be collected.
let survivors = [];
let total = 0;
for (let round = 0; round < 40; round++) {
  const block = Buffer.alloc(4 << 20, round);
  total += block[block.length - 1];
  const objects = Array.from({ length: 5000 }, (_, i) => ({ i, text: `item ${i}`, list: [i] }));
  survivors = survivors.slice(-100).concat(objects.filter((o) => o.i % 1000 === 0));
}
console.log(total, survivors.length, survivors.at(-1).text);
const long = "x".repeat(1 << 24);
console.log(
  long.length,
  (long + long).slice(-3),
  new Map(Array.from({ length: 100000 }, (_, i) => [i, i])).size,
);
try {
  "x".repeat(2 ** 30);
} catch (error) {
  console.log(error.name);
}
