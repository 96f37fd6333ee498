// Five megabytes on stdout in lines of different lengths.
let total = 0;
for (let i = 0; i < 50000; i++) {
  const line = String(i).padStart(6, "0") + " " + "abcdefghij"[i % 10].repeat((i * 7919) % 180) + "\n";
  total += line.length;
  process.stdout.write(line);
}
console.log("total", total);
