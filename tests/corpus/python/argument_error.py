"""A wrong option: usage and reason on stderr, status 2."""
import argparse
import sys

parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("--size", type=int, required=True, choices=range(1, 4))
print(parser.parse_args(["--size", "2"]), flush=True)
parser.parse_args(sys.argv[1:])
