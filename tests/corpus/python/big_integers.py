"""Integers of any size: powers, factorials, bits, bases, the limit on conversions to text."""
import math
import sys

big = 3 ** 2000
text = str(big)
print(len(text), text[:20], text[-20:], sum(map(int, text)))
print(sum(map(int, str(math.factorial(1000)))))
print((1 << 200) - 1, (-(1 << 70)) >> 3, ~(1 << 65), big.bit_length(), (2**100).bit_count())
print(hex(2**90 + 1), oct(-8**25), f"{10**24:,}", f"{2**64:_b}"[:30], int("zz" * 10, 36))
print((10**40).to_bytes(20, "little").hex(), int.from_bytes(b"\xff" * 12, "big", signed=True))
print(2**1000 // 3**500, 7**300 % 10**9, math.isqrt(2 * 10**60))
try:
    str(10**5000)
except ValueError as error:
    print(error)
sys.set_int_max_str_digits(0)
print(len(str(10**5000)))
a, b = 0, 1
while len(str(b)) < 200:
    a, b = b, a + b
print(b)
