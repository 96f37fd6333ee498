// Recursion with a cache and integers without a limit.
const cache = new Map();
function fib(n) {
  if (n < 2n) return n;
  if (!cache.has(n)) cache.set(n, fib(n - 1n) + fib(n - 2n));
  return cache.get(n);
}
console.log(Array.from({ length: 15 }, (_, n) => Number(fib(BigInt(n)))).join(" "));
console.log(String(fib(300n)), cache.size);
const factorial = (n) => (n <= 1n ? 1n : n * factorial(n - 1n));
console.log([...String(factorial(100n))].reduce((sum, digit) => sum + Number(digit), 0));
console.log((2n ** 127n - 1n).toString(16), BigInt.asIntN(8, 255n), -7n / 2n, -7n % 2n, 5n > 4, 2n == 2);
try {
  console.log(1n + 1);
} catch (error) {
  console.log(error.name, error.message);
}
