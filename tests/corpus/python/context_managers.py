"""with: order of entering and leaving, swallowing errors, stacks, redirected output."""
import contextlib
import io


@contextlib.contextmanager
def tag(name):
    print(f"<{name}>", end="")
    try:
        yield name
    finally:
        print(f"</{name}>", end="")


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.caught = value
        return isinstance(value, LookupError)


with tag("a") as a, tag("b") as b:
    print(a + b, end="")
print()
with Swallow() as swallow:
    {}["missing"]
print(repr(swallow.caught))
with contextlib.ExitStack() as stack:
    names = [stack.enter_context(tag(name)) for name in "xyz"]
    stack.callback(print, "callback", end="")
    print(names, end="")
print()
with contextlib.suppress(ZeroDivisionError):
    1 / 0
captured = io.StringIO()
with contextlib.redirect_stdout(captured):
    print("hidden")
print(repr(captured.getvalue()))
try:
    with tag("outer"), Swallow():
        raise ValueError("passes through")
except ValueError as error:
    print("\n" + str(error))
with contextlib.closing(io.StringIO("text")) as file:
    pass
print(file.closed)
