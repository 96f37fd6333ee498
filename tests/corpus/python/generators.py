"""Generators: laziness, send, throw, close, delegation and their return values."""
import itertools


def averager():
    total, count, average = 0, 0, None
    while True:
        try:
            value = yield average
        except ValueError as error:
            print("told:", error)
            continue
        total, count = total + value, count + 1
        average = total / count


def inner():
    got = yield 1
    print("inner got", got)
    yield 2
    return "inner result"


def outer():
    result = yield from inner()
    print("outer saw", result)
    try:
        yield 3
    finally:
        print("outer closed")


mean = averager()
next(mean)
print([mean.send(v) for v in (10, 20, 60)])
mean.throw(ValueError("no number"))
print(mean.send(30))
mean.close()

g = outer()
print(next(g), g.send("hello"), next(g))
g.close()
primes = (n for n in itertools.count(2) if all(n % d for d in range(2, int(n ** 0.5) + 1)))
print(list(itertools.islice(primes, 12)))
print(list(itertools.takewhile(lambda n: n < 60, primes)))
