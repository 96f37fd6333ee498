"""Where the driver starts: `python3 -c SCRIPT MODE …`.

The script ends with `with Program(): job()`, at its top level: user's code that job() runs has one
frame of ours below it, not ten.
"""
import sys


def job():
    """What is left to do at the top level; script.py puts the user's program here."""


class Program:
    def __enter__(self):
        mode, words = sys.argv[1], sys.argv[2:]
        if mode == "context":
            from _atoll import context

            context.run()
        elif mode == "script":
            from _atoll import script

            set_job(script.prepare([sys.executable] + words))
        elif mode == "zygote":
            usual = frozenset(sys.modules)
            from _atoll import zygote

            set_job(zygote.run(words, usual))
        else:
            sys.exit("usage: context | script ARGUMENT… | zygote [--no-ipython] MODULE…")

    def __exit__(self, kind, problem, tb):
        script = sys.modules.get("_atoll.script")
        if script is not None:
            script.ended(problem)
        return False


def set_job(function):
    global job
    job = function
