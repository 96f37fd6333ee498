#!/usr/bin/env python3
"""Makes one script of the driver's modules: `python3 -c "$(cat OUT)" context` needs no other file.

What every context loads at its start or for its first result is there in compiled form too, for
interpreters of the same version as this one: to compile it takes as long as the rest of a start. Others
compile the source.

usage: bundle_driver.py OUT
"""
import ast
import base64
import importlib.util
import io
import marshal
import pathlib
import sys
import tokenize
import zlib

PACKAGE = pathlib.Path(__file__).resolve().parent / "_atoll"
MAX_BYTES = 120 << 10  # Linux takes 128 KiB as one argument
START = ("__init__", "context", "display", "errors", "finish", "forks", "interrupts", "main", "mainmodule",
         "recursion", "shell", "sources", "streams", "usage", "watch", "wire")
FIRST_RUN = ("bundle",)

LOADER = '''\
import sys
from _frozen_importlib_external import MAGIC_NUMBER
from binascii import a2b_base64
from zlib import decompress
class _Modules:
    ready = {}
    def find_spec(self, name, path=None, target=None):
        if name.startswith("_atoll.") and name[7:] in sources:
            from _frozen_importlib import ModuleSpec
            return ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        name = module.__name__[7:] or "__init__"
        code = self.ready.pop(name, None)
        if code is None:
            source = decompress(a2b_base64(sources[name]))
            code = compile(source, "<atoll>/" + name + ".py", "exec", dont_inherit=True)
        exec(code, vars(module))
modules = _Modules()
if MAGIC_NUMBER == compiled_for:
    from marshal import loads
    modules.ready = loads(decompress(a2b_base64(compiled)))
package = type(sys)("_atoll")
package.__path__ = []
sys.modules["_atoll"] = package
modules.exec_module(package)
sys.meta_path.append(modules)
import _atoll.main
with _atoll.main.Program():
    _atoll.main.job()
'''


def without_comments(text):
    """The same statements on the same lines; docstrings and comments cost size at every start."""
    lines = text.splitlines(keepends=True)
    docstrings = []
    for node in ast.walk(ast.parse(text)):
        documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if documented and ast.get_docstring(node, False) is not None:
            docstrings.append((node.body[0], len(node.body) == 1 and not isinstance(node, ast.Module)))
    for statement, alone in docstrings:
        start, end = statement.lineno - 1, statement.end_lineno
        indent = lines[start][:statement.col_offset]
        lines[start:end] = [indent + "pass\n" if alone else "\n"] + ["\n"] * (end - start - 1)
    comments = [token for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline)
                if token.type == tokenize.COMMENT]
    for token in comments:
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column].rstrip() + "\n"
    return "".join(lines)


def packed(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def bundled():
    sources = {path.stem: without_comments(path.read_text(encoding="utf-8"))
               for path in sorted(PACKAGE.glob("*.py"))}
    compiled = {name: compile(sources[name], f"<atoll>/{name}.py", "exec", dont_inherit=True)
                for name in START + FIRST_RUN}
    entries = "".join(f"{name!r}: {packed(source.encode())!r},\n" for name, source in sources.items())
    return (f"sources = {{\n{entries}}}\ncompiled_for = {importlib.util.MAGIC_NUMBER!r}\n"
            f"compiled = {packed(marshal.dumps(compiled))!r}\n{LOADER}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    script = bundled()
    compile(script, "driver", "exec")
    if len(script.encode()) > MAX_BYTES:
        sys.exit(f"bundle_driver: {len(script.encode())} bytes, at most {MAX_BYTES} fit into one argument")
    pathlib.Path(sys.argv[1]).write_text(script, encoding="utf-8")


if __name__ == "__main__":
    main()
