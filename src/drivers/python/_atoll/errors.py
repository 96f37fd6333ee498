"""What went wrong, as text: the user's frames with their lines, without the driver's, and bounded."""
import sys

from _atoll import PREFIX, finish, sources

MAX_NAME = 1 << 10
MAX_VALUE = 8 << 10
MAX_TEXT = 64 << 10
MANY_FRAMES = 5000
FRAMES_KEPT = 100


def describe(problem):
    """(ename, evalue, traceback) of an exception."""
    name = name_of(problem)
    value = clip(_text_of(lambda: str(problem), "<exception str() failed>"), MAX_VALUE)
    try:
        text = traceback_text(problem)
    except Exception:  # out of memory, or an exception that is not a decent object
        text = "%s: %s\n" % (name, value)
    return name, value, text


def name_of(problem):
    """Of its class, without asking the class's own class, whose code may fail or lie."""
    return clip(type.__dict__["__name__"].__get__(type(problem)), MAX_NAME)


def traceback_text(problem):
    import linecache
    import traceback

    sources.tell_all(linecache)
    tb = traceback_of(problem)
    deep = _depth(tb) > MANY_FRAMES
    report = traceback.TracebackException(type(problem), problem, tb, limit=-FRAMES_KEPT if deep else None)
    _clean(report, traceback.StackSummary, set())
    text = "".join(report.format())
    if deep:
        text = "(only the last %d frames)\n%s" % (FRAMES_KEPT, text)
    return clip(text, MAX_TEXT)


def traceback_of(problem):
    """Also of an exception that hides its attributes."""
    return BaseException.__traceback__.__get__(problem)


def clip(text, limit):
    """At most about `limit` characters: the beginning and the end, and how much was between."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return "%s\n… %d characters left out …\n%s" % (text[:half], len(text) - 2 * half, text[-half:])


def exit_status(problem):
    """Of a SystemExit, as the interpreter has it; a message goes to stderr."""
    code = problem.code
    if code is not None and not issubclass(type(code), int):
        sys.stderr.write(_text_of(lambda: str(code), "") + "\n")
    return finish.status_of(code)


def print_traceback(problem):
    """To sys.stderr, for what is worth telling and fails nothing."""
    try:
        sys.stderr.write(describe(problem)[2])
    except Exception:
        pass


def _text_of(make, otherwise):
    try:
        text = make()
        return text if type(text) is str else str.__str__(text)
    except Exception:
        return otherwise


def _depth(tb):
    depth = 0
    while tb is not None and depth <= MANY_FRAMES:
        depth, tb = depth + 1, tb.tb_next
    return depth


def _clean(report, summary_type, seen):
    """Takes the driver's frames out of a TracebackException and out of those it is chained to."""
    if report is None or id(report) in seen:
        return
    seen.add(id(report))
    if report.stack is not None:
        frames = [frame for frame in report.stack if not frame.filename.startswith(PREFIX)]
        first = next((i for i, frame in enumerate(frames) if frame.filename.startswith("<cell ")), 0)
        report.stack = summary_type.from_list(frames[first:]) if frames else None
    _clean(report.__cause__, summary_type, seen)
    _clean(report.__context__, summary_type, seen)
    for inner in getattr(report, "exceptions", None) or ():
        _clean(inner, summary_type, seen)
