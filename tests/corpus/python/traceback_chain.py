"""An exception raised from another one, not caught: both tracebacks on stderr, status 1."""
import json


class ConfigError(Exception):
    """What the caller sees."""


def parse(text):
    return json.loads(text)


def load(text):
    try:
        return parse(text)
    except ValueError as error:
        raise ConfigError(f"cannot read {text!r}") from error


print(load('{"a": [1, 2]}'))
load("oops")
print("not reached")
