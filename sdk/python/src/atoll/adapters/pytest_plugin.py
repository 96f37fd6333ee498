"""pytest: `@pytest.mark.sandboxed` runs a test inside a sandbox, and the fixture `sandbox` gives one to a test outside.

    pytest -p atoll.adapters.pytest_plugin

A sandboxed test is called there as it is, so it takes no fixtures and no parameters; the sandbox needs no pytest. The
files beside it go with it. Arguments of the mark are those of `Sandbox.create`, but `timeout` is that of the test.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Iterator

import pytest

from .._sync.sandbox import Sandbox

MAX_BESIDE = 1000
CALL = """
import importlib.util, json, sys
path, name = json.loads(sys.argv[1])
sys.path.insert(0, path.rpartition("/")[0])
try:
    import pytest
except ImportError:
    import types
    class _Marks:
        def __getattr__(self, name):
            return lambda *a, **k: a[0] if len(a) == 1 and callable(a[0]) and not k else (lambda f: f)
    sys.modules["pytest"] = types.SimpleNamespace(mark=_Marks(), fixture=lambda *a, **k: a[0] if a else (lambda f: f))
spec = importlib.util.spec_from_file_location("test_inside", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
holder = module
*classes, name = name.split("::")
for one in classes:
    holder = getattr(holder, one)()
getattr(holder, name)()
"""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sandboxed(template=None, timeout=60, **create): run this test in a sandbox")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox for one test; ATOLL_URL and ATOLL_API_KEY name the server."""
    with Sandbox.create() as box:
        yield box


class SandboxedTestError(Exception):
    """What the test printed where it ran."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    mark = pyfuncitem.get_closest_marker("sandboxed")
    if mark is None:
        return None
    if pyfuncitem.funcargs:
        raise SandboxedTestError(f"a sandboxed test takes no arguments: {', '.join(pyfuncitem.funcargs)}")
    options = dict(mark.kwargs)
    timeout = options.pop("timeout", 60)
    if mark.args:
        options["template"] = mark.args[0]
    folder = pyfuncitem.path.parent
    with Sandbox.create(**options) as box:
        beside = [path for path in sorted(folder.iterdir()) if path.is_file()]
        if len(beside) > MAX_BESIDE:
            raise SandboxedTestError(f"{folder} has more than {MAX_BESIDE} files")
        for path in beside:
            box.files.write(f"tests/{path.name}", path)
        name = pyfuncitem.nodeid.split("::", 1)[1]
        words = json.dumps([f"{box.info.workspace}/tests/{pyfuncitem.path.name}", name])
        done = box.run(command=["python3", "-B", "-c", CALL, words], timeout=timeout)
        if done.stdout:
            print(done.stdout, end="")
        if not done.success:
            reason = "its time was up\n" if done.timed_out else ""
            raise SandboxedTestError(f"{pathlib.Path(pyfuncitem.path).name}::{name} in {box.id}\n{reason}{done.stderr}")
    return True
