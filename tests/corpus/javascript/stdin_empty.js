// Without input stdin ends at once.
const fs = require("fs");
console.log(
  JSON.stringify(fs.readFileSync(0, "utf8")),
  Boolean(process.stdin.isTTY),
  Boolean(process.stdout.isTTY),
);
process.stdin.on("data", () => console.log("never printed")).on("end", () => console.log("end"));
