// Two megabytes on each of the two streams, written in turn.
for (let i = 0; i < 2000; i++) {
  process.stdout.write(`out ${i} ${"o".repeat(1000)}\n`);
  process.stderr.write(`err ${i} ${"e".repeat(1000)}\n`);
}
