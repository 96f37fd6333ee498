"""Lifetimes: reference counts, weak references, cycles, finalisers and their order."""
import gc
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name)


gc.disable()
one = Thing("one")
again = one
del one
print("still held")
del again
watched = Thing("watched")
ref = weakref.ref(watched, lambda r: print("callback"))
table = weakref.WeakValueDictionary(key=watched)
weakref.finalize(watched, print, "finalised")
print(ref() is watched, list(table))
del watched
print(ref(), list(table))
a, b = Thing("cycle a"), Thing("cycle b")
a.other, b.other = b, a
del a, b
print("unreachable")
print(gc.collect() >= 2)
at_end = Thing("kept until the end")
print("last line")
