"""Primes by sieve and by test, factors, greatest common divisors, inverses, remainders."""
import math


def sieve(limit):
    flags = bytearray([1]) * (limit + 1)
    flags[:2] = b"\0\0"
    for n in range(2, math.isqrt(limit) + 1):
        if flags[n]:
            flags[n * n::n] = bytes(len(flags[n * n::n]))
    return [n for n, flag in enumerate(flags) if flag]


def is_prime(n):
    if n < 41:
        return n in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    s = ((n - 1) & (1 - n)).bit_length() - 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(base, (n - 1) >> s, n)
        if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(s - 1)):
            return False
    return True


def factors(n):
    out, d = [], 2
    while d * d <= n:
        while n % d == 0:
            out.append(d)
            n //= d
        d += 1
    return out + [n] * (n > 1)


primes = sieve(200_000)
print(len(primes), primes[-1], sum(primes))
print([n for n in (561, 7919, 2**61 - 1, 2**61 + 1, 10**18 + 9, 2**127 - 1) if is_prime(n)])
print(factors(600851475143), factors(2**32 - 1), factors(97))
print(math.gcd(1071, 462), math.lcm(4, 6, 10), pow(3, -1, 11), pow(7, 10**9, 13))


def remainder(pairs):
    total, product = 0, math.prod(m for m, _ in pairs)
    for m, r in pairs:
        part = product // m
        total += r * part * pow(part, -1, m)
    return total % product


print(remainder([(3, 2), (5, 3), (7, 2)]), divmod(-7, 3), -7 % -3, math.comb(50, 25), math.isqrt(10**30))
