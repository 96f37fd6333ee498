"""Groups of exceptions, notes, custom hierarchies, else and finally, retry."""


class AppError(Exception):
    def __init__(self, code, *args):
        super().__init__(*args)
        self.code = code

    def __str__(self):
        return f"[{self.code}] {super().__str__()}"


def attempt(action):
    try:
        value = action()
    except AppError as error:
        return f"app {error} {error.code}"
    except (TypeError, KeyError) as error:
        return f"{type(error).__name__} {error}"
    else:
        return f"value {value}"
    finally:
        attempts.append(1)


attempts = []


def raises(error):
    raise error


print(attempt(lambda: 5), attempt(lambda: raises(AppError(4, "bad"))), attempt(lambda: {}["k"]),
      attempt(lambda: 1 + "a"))
try:
    inner = ExceptionGroup("inner", [ValueError(2), OSError(5, "io")])
    raise ExceptionGroup("several", [ValueError(1), TypeError("t"), inner])
except* ValueError as group:
    print("values", [str(e) for e in group.exceptions])
except* (TypeError, OSError) as group:
    print("others", group.subgroup(OSError).exceptions[0].exceptions[0].errno, len(group.exceptions))
try:
    try:
        raise KeyError("first")
    except KeyError:
        raise RuntimeError("second") from None
except RuntimeError as error:
    print(error, error.__cause__, repr(error.__context__), error.__suppress_context__)


def surprising():
    for _ in range(3):
        try:
            return "from try"
        finally:
            break
    return "after the loop"


print(surprising(), len(attempts))
