"""Without input stdin is empty at once; reading it again stays empty."""
import sys

print(repr(sys.stdin.read()), repr(sys.stdin.readline()), sys.stdin.isatty(), sys.stdout.isatty())
try:
    input()
except EOFError as error:
    print(type(error).__name__, error)
