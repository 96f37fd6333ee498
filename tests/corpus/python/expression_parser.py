"""A small language: tokens, a recursive descent parser, variables, functions, good errors."""
import math
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(\*\*|[-+*/%(),=]))")


def tokens(text):
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise SyntaxError(f"unexpected {text[at:].strip()[0]!r} at {at}")
        at = match.end()
        yield match[1] and float(match[1]) or match[2] or match[3] or 0.0
    yield None


class Parser:
    def __init__(self, text, names):
        self.items, self.names = list(tokens(text)), names

    def take(self, *wanted):
        if self.items[0] in wanted and self.items[0] is not None:
            return self.items.pop(0)
        return None

    def expect(self, sign):
        if self.take(sign) is None:
            raise SyntaxError(f"expected {sign!r}, found {self.items[0]!r}")

    def statement(self):
        if isinstance(self.items[0], str) and self.items[1] == "=":
            name = self.items.pop(0)
            self.items.pop(0)
            self.names[name] = value = self.sum()
        else:
            value = self.sum()
        if self.items[0] is not None:
            raise SyntaxError(f"trailing {self.items[0]!r}")
        return value

    def sum(self):
        value = self.product()
        while sign := self.take("+", "-"):
            value += self.product() if sign == "+" else -self.product()
        return value

    def product(self):
        value = self.power()
        while sign := self.take("*", "/", "%"):
            other = self.power()
            value = value * other if sign == "*" else value / other if sign == "/" else value % other
        return value

    def power(self):
        if self.take("-"):
            return -self.power()
        base = self.atom()
        return base ** self.power() if self.take("**") else base

    def atom(self):
        item = self.items.pop(0)
        if isinstance(item, float):
            return item
        if item == "(":
            value = self.sum()
            self.expect(")")
            return value
        if isinstance(item, str) and item.isidentifier():
            if self.take("("):
                values = [self.sum()]
                while self.take(","):
                    values.append(self.sum())
                self.expect(")")
                return self.names[item](*values)
            return self.names[item]
        raise SyntaxError(f"unexpected {item!r}")


names = {"pi": math.pi, "max": max, "sqrt": math.sqrt}
for line in ("1 + 2 * 3", "x = 2 ** 3 ** 2", "-x / 4 % 7", "max(1, x, sqrt(16)) - (3)", "0 * 5",
             "2 *", "(1", "y + 1", "3 $ 4", "1 / 0"):
    try:
        print(line, "=>", Parser(line, names).statement())
    except (SyntaxError, KeyError, ArithmeticError) as error:
        print(line, "=>", type(error).__name__, error)
