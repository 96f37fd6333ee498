"""Closures: counters that do not share, late binding, nonlocal, decorators with arguments."""
import functools


def counter(start=0, step=1):
    value = start

    def advance():
        nonlocal value
        value += step
        return value
    return advance


def repeat(times):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return [function(*args, **kwargs) for _ in range(times)]
        return inner
    return wrap


@repeat(3)
def roll(dice=[1]):
    """Grows its default argument."""
    dice.append(dice[-1] * 2)
    return dice[-1]


a, b = counter(), counter(100, -10)
print(a(), a(), b(), a(), b())
late = [lambda: i for i in range(3)]
early = [lambda i=i: i for i in range(3)]
print([f() for f in late], [f() for f in early])
print(roll(), roll.__name__, roll.__doc__)
compose = functools.reduce(lambda f, g: lambda x: g(f(x)), [lambda x: x + 1, lambda x: x * 10, str])
print(repr(compose(4)))
