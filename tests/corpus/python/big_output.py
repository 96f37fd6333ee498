"""Six megabytes on stdout in lines of different lengths."""
import sys

total = 0
for i in range(60000):
    line = f"{i:06d} " + "abcdefghij"[i % 10] * (i * 7919 % 180) + "\n"
    total += sys.stdout.write(line)
print("total", total)
