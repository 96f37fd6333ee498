"""The module __main__ that the user's code lives in."""
import builtins
import sys


def new_main():
    """A fresh one in place of the driver's own, with what the interpreter puts there."""
    from _frozen_importlib import BuiltinImporter

    main = type(sys)("__main__")
    main.__loader__ = BuiltinImporter
    main.__annotations__ = {}
    main.__builtins__ = builtins
    replaced.append(sys.modules.get("__main__"))  # the interpreter still runs in it
    sys.modules["__main__"] = main
    return main


replaced = []
