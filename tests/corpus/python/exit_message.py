"""A message given to sys.exit goes to stderr and the status is 1."""
import sys

print("before")
sys.exit("no such thing: ünïcode ☃")
