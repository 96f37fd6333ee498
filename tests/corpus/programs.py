"""The corpus on disk: each program, what it is given, and what it must print.

LANGUAGE/NAME.EXT is a program. Beside it may lie NAME.in (stdin), NAME.args (one argument a line), and what
is expected: NAME.out, NAME.err (stderr is looked at only where this is given) and NAME.code (0 without it).
NAME.out.sha256 stands in for a NAME.out that would be large; the same holds for NAME.err.sha256.
"""
import dataclasses
import difflib
import hashlib
import pathlib

SUFFIXES = {"python": ".py", "javascript": ".js .mjs", "bash": ".bash", "c": ".c", "cpp": ".cpp", "go": ".go",
            "java": ".java", "rust": ".rs"}
LARGE = 64 * 1024  # bytes of output from which on only a digest is kept
SHOWN = 1500       # bytes of a difference that are printed


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a program ended: status as a shell gives it (128 + signal), and its two streams."""
    code: int
    out: bytes
    err: bytes


def digest(data):
    return hashlib.sha256(data).hexdigest()


def difference(expected, actual):
    """A readable account of how two outputs differ."""
    shorter = min(len(expected), len(actual))
    at = next((i for i in range(shorter) if expected[i] != actual[i]), shorter)
    head = f"{len(actual)} bytes instead of {len(expected)}, different from byte {at} on"
    try:
        lines = [text.decode().splitlines(keepends=True) for text in (expected, actual)]
    except UnicodeDecodeError:
        return f"{head}: {actual[at:at + 40]!r} instead of {expected[at:at + 40]!r}"
    text = "".join(line if line.endswith("\n") else line + "\n"
                   for line in difflib.unified_diff(*lines, "expected", "actual", n=1))
    return f"{head}\n{text[:SHOWN]}"


class Program:
    def __init__(self, language, path):
        self.language, self.path = language, path
        self.name = f"{language}/{path.stem}"

    def beside(self, suffix):
        return self.path.with_suffix(suffix)

    @property
    def stdin(self):
        """None where the program is given no input."""
        path = self.beside(".in")
        return path.read_bytes() if path.exists() else None

    @property
    def arguments(self):
        path = self.beside(".args")
        return path.read_text().removesuffix("\n").split("\n") if path.exists() else []

    def problems(self, outcome):
        """What an outcome gets wrong; nothing when it is as expected."""
        code = self.beside(".code")
        expected = int(code.read_text()) if code.exists() else 0
        if outcome.code != expected:
            yield f"exit status {outcome.code} instead of {expected}"
        yield from self._stream_problems("out", outcome.out, required=True)
        yield from self._stream_problems("err", outcome.err, required=False)

    def _stream_problems(self, stream, actual, required):
        exact, hashed = self.beside(f".{stream}"), self.beside(f".{stream}.sha256")
        if exact.exists() and hashed.exists():
            yield f"both {exact.name} and {hashed.name} exist"
        elif exact.exists():
            expected = exact.read_bytes()
            if actual != expected:
                yield f"std{stream}: {difference(expected, actual)}"
        elif hashed.exists():
            if digest(actual) != hashed.read_text().strip():
                yield f"std{stream}: {len(actual)} bytes whose digest is not the expected one"
        elif required:
            yield f"{exact.name} is missing (--regenerate writes it)"

    def write_expected(self, outcome):
        """Takes an outcome as the expected one; stderr only where a file for it is there already."""
        wants_err = self.beside(".err").exists() or self.beside(".err.sha256").exists()
        for suffix in (".code", ".out", ".out.sha256", ".err", ".err.sha256"):
            self.beside(suffix).unlink(missing_ok=True)
        if outcome.code:
            self.beside(".code").write_text(f"{outcome.code}\n")
        for stream, data, wanted in (("out", outcome.out, True), ("err", outcome.err, wants_err)):
            if wanted and len(data) < LARGE:
                self.beside(f".{stream}").write_bytes(data)
            elif wanted:
                self.beside(f".{stream}.sha256").write_text(digest(data) + "\n")


def find_programs(folder, languages, wanted):
    """The programs of these languages; if `wanted` has names (without folder), only those."""
    found = []
    for language in languages:
        for path in sorted((pathlib.Path(folder) / language).iterdir()):
            if path.suffix in SUFFIXES[language].split() and (not wanted or path.stem in wanted):
                found.append(Program(language, path))
    return found
