"""Frames of the driver below the user's code do not count against its recursion limit, nor show in it."""
import sys

DEFAULT_LIMIT = 1000


def hide(frames):
    get, put = sys.getrecursionlimit, sys.setrecursionlimit
    put(DEFAULT_LIMIT + frames)

    def getrecursionlimit():
        return get() - frames

    def setrecursionlimit(limit):
        put(limit + frames if type(limit) is int and limit > 0 else limit)

    sys.getrecursionlimit, sys.setrecursionlimit = getrecursionlimit, setrecursionlimit
