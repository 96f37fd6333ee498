"""Warnings and log lines go to stderr, prints to stdout."""
import logging
import sys
import warnings

warnings.simplefilter("always")
warnings.showwarning = lambda message, kind, *rest: print(f"{kind.__name__}: {message}", file=sys.stderr)
logging.basicConfig(format="%(levelname)-8s %(name)s %(funcName)s: %(message)s", level=logging.INFO)
log = logging.getLogger("corpus.part")


def work():
    log.debug("too quiet to be seen")
    log.info("starting %s with %d", "work", 3)
    warnings.warn("this is old", DeprecationWarning)
    try:
        [].pop()
    except IndexError:
        log.error("failed", exc_info=False)
    log.warning("grün 🌿")


work()
print("on stdout")
sys.stderr.write("no newline at the end")
