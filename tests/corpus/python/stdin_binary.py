"""Bytes on stdin, NUL and invalid UTF-8 among them, arrive unchanged."""
import sys

data = sys.stdin.buffer.read()
print(len(data), data)
print(data.count(b"\0"), data.decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape") == data)
sys.stdout.buffer.write(data[::-1])
