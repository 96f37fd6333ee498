// Primes, factors, powers under a modulus, divisors, bases, Pythagorean triples.
const sieve = (limit) => {
  const flags = new Uint8Array(limit + 1).fill(1, 2);
  for (let n = 2; n * n <= limit; n++) if (flags[n]) for (let m = n * n; m <= limit; m += n) flags[m] = 0;
  return [...flags.keys()].filter((n) => flags[n]);
};
const primes = sieve(100000);
console.log(
  primes.length,
  primes.at(-1),
  primes.reduce((a, b) => a + b),
);
const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const power = (base, exponent, modulus) => {
  let result = 1n;
  for (; exponent; exponent >>= 1n, base = (base * base) % modulus)
    if (exponent & 1n) result = (result * base) % modulus;
  return result;
};
console.log(gcd(1071, 462), power(7n, 10n ** 9n, 13n), power(2n, 1000n, 10n ** 20n));
const factors = (n) => {
  const out = [];
  for (let d = 2; d * d <= n; d++) while (n % d === 0) (out.push(d), (n /= d));
  return n > 1 ? [...out, n] : out;
};
console.log(factors(600851475143), factors(2 ** 32 - 1), Number.MAX_SAFE_INTEGER, 2 ** 53 === 2 ** 53 + 1);
console.log(
  [6, 28, 496, 500].map((n) => [...Array(n).keys()].filter((d) => d && n % d === 0).reduce((a, b) => a + b)),
);
console.log(
  (255).toString(2),
  (-255).toString(36),
  parseInt("zz", 36),
  0b1011 ^ 0o17,
  1 << 31,
  -1 >>> 28,
  ~~-7.9,
  5 & -2,
);
const triples = [];
for (let a = 1; a < 20; a++)
  for (let b = a; b < 25; b++) {
    const c = Math.hypot(a, b);
    if (Number.isInteger(c) && gcd(a, b) === 1) triples.push([a, b, c].join(","));
  }
console.log(triples.join(" "));
