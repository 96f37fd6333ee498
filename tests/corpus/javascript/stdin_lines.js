// Lines of stdin one after the other, with numbers summed and the rest reported.
const readline = require("readline");
let total = 0,
  number = 0;
const input = readline.createInterface({ input: process.stdin });
input.on("line", (line) => {
  number++;
  const [name, value] = line.split("=");
  if (value && !Number.isNaN(Number(value))) total += Number(value);
  else console.log(`line ${number}: ${JSON.stringify(name)} has no number`);
});
input.on("close", () => console.log("total", total, "lines", number));
