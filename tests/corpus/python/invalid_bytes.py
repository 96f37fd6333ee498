"""Bytes that are not text: written raw to stdout, decoded with every error handler."""
import sys

raw = bytes(range(256)) + b"\xc3\x28\xa0\xed\xa0\x80\xf5\x80\n"
sys.stdout.buffer.write(raw)
for handler in ("replace", "ignore", "backslashreplace", "surrogateescape"):
    text = raw[126:].decode("utf-8", handler)
    print(handler, len(text), ascii(text[-6:]))
kept = raw.decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape")
print(kept == raw)
try:
    raw.decode("utf-8")
except UnicodeDecodeError as error:
    print(error)
print("\udc80")
try:
    print("\ud800")
except UnicodeEncodeError as error:
    print(error)
print("zero\0byte", flush=True)
