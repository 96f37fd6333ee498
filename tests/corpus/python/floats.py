"""Floating point: formatting, rounding, special values, exact sums."""
import cmath
import fractions
import math
import sys

print(0.1 + 0.2, 1e16, 1e-5, 123456789.123456789, 1e22, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308)
print(f"{math.pi:.10f} {math.pi:e} {math.pi:g} {12345.678:,.1f} {0.256:.1%} {1e10:.3g} {255.0:x<9}")
print(round(0.5), round(1.5), round(2.5), round(2.675, 2), round(-1234.5, -2), math.floor(-0.5),
      math.trunc(-1.9))
print(float("inf") - float("inf"), float("-inf"), math.nan == math.nan, max(1.0, math.nan), 0.0 == -0.0)
print(math.fsum([0.1] * 10), sum([0.1] * 10), math.hypot(3, 4, 12), math.dist((1, 2), (4, 6)))
print((0.1).hex(), float.fromhex("0x1.8p3"), (0.75).as_integer_ratio(),
      fractions.Fraction(0.1).limit_denominator())
print(math.nextafter(1.0, 2.0), math.ulp(1.0), math.frexp(10.0), math.ldexp(0.5, 5), math.copysign(1, -0.0))
print(cmath.sqrt(-4), abs(3 + 4j), (1 + 2j) * (3 - 1j), f"{cmath.exp(1j * math.pi):.3f}")
print(sys.float_info.dig, sys.float_info.max_exp, float("1" * 400))
for bad in (lambda: 1.0 / 0.0, lambda: math.sqrt(-1), lambda: math.exp(1000), lambda: int(math.inf)):
    try:
        bad()
    except (ArithmeticError, ValueError) as error:
        print(type(error).__name__, error)
