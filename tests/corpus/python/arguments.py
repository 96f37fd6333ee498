"""Arguments arrive as they were given: spaces, quotes, options, empty words, other scripts."""
import argparse
import sys

print(sys.argv[1:])
parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("names", nargs="+")
parser.add_argument("-n", "--number", type=int, default=1)
parser.add_argument("--flag", action="store_true")
print(parser.parse_intermixed_args(sys.argv[1:]))
print(parser.format_usage(), end="")
