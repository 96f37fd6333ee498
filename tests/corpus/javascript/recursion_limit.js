// Deep recursion ends in an error that can be caught, and the program goes on.
const down = (n) => (n === 0 ? 0 : 1 + down(n - 1));
console.log(down(5000));
let depth = 0;
const forever = () => {
  depth++;
  return forever() + 1;
};
try {
  forever();
} catch (error) {
  console.log(error.name, error.message, depth > 5000);
}
const nested = [];
let at = nested;
for (let i = 0; i < 100000; i++) at.push((at = []));
try {
  JSON.stringify(nested);
} catch (error) {
  console.log(error.name);
}
console.log("goes on");
