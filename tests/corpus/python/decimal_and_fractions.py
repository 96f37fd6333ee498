"""Exact arithmetic: decimals with contexts, rounding modes, fractions, statistics."""
import decimal
import fractions
import statistics
from decimal import Decimal

print(Decimal("0.1") + Decimal("0.2"), Decimal(0.1), Decimal("1") / 3)
with decimal.localcontext(prec=60):
    print(Decimal(2).sqrt(), Decimal(1).exp())
for mode in (decimal.ROUND_HALF_EVEN, decimal.ROUND_HALF_UP, decimal.ROUND_DOWN, decimal.ROUND_CEILING):
    print(mode, [str(Decimal(x).quantize(Decimal("0.1"), mode)) for x in ("0.25", "0.35", "-0.25")])
print(Decimal("1E+3").normalize(), Decimal("1200").to_eng_string(), f"{Decimal('1234567.891'):,.2f}",
      Decimal("-0"))
try:
    Decimal(1) / 0
except decimal.DivisionByZero as error:
    print(type(error).__name__)
half, third = fractions.Fraction(1, 2), fractions.Fraction("1/3")
print(half + third, half ** 3, sum(fractions.Fraction(1, n) for n in range(1, 11)), float(third))
values = [2, 4, 4, 4, 5, 5, 7, 9]
print(statistics.mean(values), statistics.pstdev(values), statistics.median(values), statistics.mode(values),
      statistics.quantiles(values))
