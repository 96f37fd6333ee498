"""Three megabytes on each of the two streams, written in turn."""
import sys

for i in range(3000):
    sys.stdout.write(f"out {i} " + "o" * 1000 + "\n")
    sys.stderr.write(f"err {i} " + "e" * 1000 + "\n")
