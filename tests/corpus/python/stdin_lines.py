"""Numbers and words from stdin, line by line."""
import sys

header = input()
print("header:", header)
total = 0
for number, line in enumerate(sys.stdin, 1):
    name, _, value = line.rstrip("\n").partition("=")
    try:
        total += float(value)
    except ValueError:
        print(f"line {number}: {name!r} has no number but {value!r}")
print("total:", total)
try:
    input("more? ")
except EOFError:
    print("\nend of input")
