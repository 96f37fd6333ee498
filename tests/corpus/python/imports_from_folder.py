"""Modules and packages beside the program, made as it runs: import, reload, relative, missing ones."""
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
code = "VALUE = 1\ndef twice(x):\n    return 2 * x\nprint('loading', __name__)\n"
pathlib.Path("helper.py").write_text(code)
package = pathlib.Path("pack/inner")
package.mkdir(parents=True)
pathlib.Path("pack/__init__.py").write_text("from .inner import word\n__all__ = ['word']\n")
(package / "__init__.py").write_text("from ..base import base\nword = base + ' and more'\n")
pathlib.Path("pack/base.py").write_text("base = 'relative import'\n")
importlib.invalidate_caches()

import helper  # noqa: E402
import helper as again  # noqa: E402
from pack import word  # noqa: E402

print(helper.VALUE, helper.twice(21), again is helper, word, "pack.inner" in sys.modules)
pathlib.Path("helper.py").write_text("VALUE = 'changed and longer'\n")
importlib.invalidate_caches()
print(importlib.reload(helper).VALUE, helper.twice(1))
try:
    import not_there  # noqa: F401
except ModuleNotFoundError as error:
    print(error, error.name)
print(importlib.util.find_spec("json.decoder").name, importlib.import_module("pack.base").base, __name__)
