"""pytest with the plugin, on a small suite of its own."""
pytest_plugins = ["pytester"]

SUITE = """
import os, pathlib, pytest
from beside import VALUE

HERE = {here!r}

@pytest.mark.sandboxed
def test_inside():
    print("it runs at", os.getcwd())
    assert not pathlib.Path(HERE).exists() and os.getcwd() == "/workspace" and VALUE == 42

@pytest.mark.sandboxed(timeout=30)
def test_fails_inside():
    assert 1 == 2, "as it should"

class TestMany:
    @pytest.mark.sandboxed("python-default")
    def test_method(self):
        pathlib.Path("/workspace/f").write_text("x")

@pytest.mark.sandboxed
def test_takes_fixtures(tmp_path):
    pass

def test_outside(sandbox):
    assert pathlib.Path(HERE).exists()
    assert sandbox.run("print(1)").stdout == "1\\n"
"""


def test_marked_tests_run_inside(pytester):
    pytester.makepyfile(beside="VALUE = 42")
    pytester.makepyfile(test_suite=SUITE.format(here=str(pytester.path)))
    result = pytester.runpytest_subprocess("-p", "atoll.adapters.pytest_plugin", "-p", "no:cacheprovider", "-rA")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["*it runs at /workspace*"])
    result.stdout.fnmatch_lines(["*AssertionError: as it should*"])
    result.stdout.fnmatch_lines(["*takes no arguments*"])
