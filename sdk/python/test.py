#!/usr/bin/env python3
"""Tests of the Python SDK, with the tools of a cached environment.

usage: test.py prepare | scenarios sync | scenarios async | unit | lint | package | examples | docs | bench [--quick]
       test.py prepare-adapters [NAME…] | adapters [NAME…] [--cached]
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import testing  # noqa: E402

CACHE = testing.CACHE / "sdk-python"
WHEELS = CACHE / "wheels"
ENVIRONMENT = {"PYTHONPATH": str(HERE / "src"), "PYTHONDONTWRITEBYTECODE": "1", "RUFF_CACHE_DIR": str(CACHE / "ruff"),
               "MYPY_CACHE_DIR": str(CACHE / "mypy"), "PYRIGHT_PYTHON_CACHE_DIR": str(CACHE / "pyright"),
               "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
PIP = ["-m", "pip", "--disable-pip-version-check", "-q"]


def fetched(requirements):
    """The Python of an environment with these packages, made once."""
    text = requirements.read_bytes() + f"{sys.version_info[:3]} {sys.prefix}".encode()
    folder = CACHE / f"{requirements.stem}-{hashlib.sha256(text).hexdigest()[:16]}"
    python = folder / "bin/python"
    with testing.alone(CACHE):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            testing.run(python, *PIP, "install", "-r", requirements)
            (folder / "ready").touch()
    return python


def is_fetched(requirements):
    text = requirements.read_bytes() + f"{sys.version_info[:3]} {sys.prefix}".encode()
    return (CACHE / f"{requirements.stem}-{hashlib.sha256(text).hexdigest()[:16]}/ready").exists()


def tools():
    return fetched(HERE / "requirements-dev.txt")


def prepare():
    python = tools()
    testing.run(python, "-m", "pyright", "--version", env=os.environ | ENVIRONMENT, stdout=subprocess.DEVNULL)
    if not (WHEELS / "ready").exists():  # what the clean environment of `package` is made of
        testing.run(python, *PIP, "download", "-d", WHEELS, "httpx>=0.27,<1")
        (WHEELS / "ready").touch()


def scenarios(kind):
    testing.with_scenarios(tools(), "-B", HERE / "tests/run_scenarios.py", kind, env=os.environ | ENVIRONMENT)


def unit(*names):
    testing.run(sys.executable, "-B", testing.ROOT / "sdk/harness.py", "--without-scenarios", "--", tools(), "-B", "-m", "pytest", "-q",
                "-p", "no:cacheprovider", *(HERE / "tests" / name for name in names or [""]), env=os.environ | ENVIRONMENT)


def lint():
    """Formatter, linter, two type checkers, and what is made by scripts."""
    python, env = tools(), os.environ | ENVIRONMENT
    for script in ("sdk_models.py", "sdk_unasync.py", "sdk_docs.py"):
        testing.run(sys.executable, "-B", testing.ROOT / "tools" / script, "--check")
    programs = [HERE / "src", testing.ROOT / "examples/python"]
    testing.run(python, "-m", "ruff", "format", "--check", "-q", "--config", HERE / "pyproject.toml", *programs, cwd=HERE, env=env)
    testing.run(python, "-m", "ruff", "check", "-q", "--config", HERE / "pyproject.toml", *programs, cwd=HERE, env=env)
    testing.run(python, "-m", "mypy", cwd=HERE, env=env)
    testing.run(python, "-m", "pyright", "--pythonpath", python, cwd=HERE, env=env)


def interpreters():
    """This Python, and those of Debian 12 and 13 that are here and can make environments."""
    found = [sys.executable]
    for name in ("python3.11", "python3.13"):
        program = shutil.which(name)
        if program and name != f"python3.{sys.version_info[1]}":
            made = subprocess.run([program, "-c", "import ensurepip, venv"], capture_output=True, check=False)
            if made.returncode == 0:
                found.append(program)
    return found


def package():
    """A wheel, made from the source archive, in environments with nothing else."""
    with tempfile.TemporaryDirectory(prefix="atoll-sdk-python-") as name:
        folder = pathlib.Path(name)
        testing.copied(HERE, folder / "source", "src", "pyproject.toml", "README.md")
        for stale in (folder / "source").rglob("__pycache__"):
            shutil.rmtree(stale)
        testing.run(tools(), "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder / "source", stdout=subprocess.DEVNULL)
        (wheel,), (archive,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
        listed = testing.printed([tools(), "-m", "zipfile", "-l", wheel])
        for wanted in ("atoll/py.typed", "atoll/_sync/client.py", "atoll/adapters/"):
            if wanted not in listed:
                sys.exit(f"{wanted} is not in the wheel:\n{listed}")
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        for interpreter in interpreters():
            clean = folder / f"clean-{pathlib.Path(interpreter).name}"
            testing.run(interpreter, "-m", "venv", clean)
            python = clean / "bin/python"
            testing.run(python, *PIP, "install", "--no-index", "--find-links", WHEELS, wheel)
            testing.run(sys.executable, "-B", testing.ROOT / "sdk/harness.py", "--without-scenarios", "--",
                        python, testing.ROOT / "examples/python/first_run.py", env=env, cwd=folder)
            shown = testing.printed([python, "-m", "pip", "show", "atoll-sdk"])
            version = testing.printed([python, "--version"]).strip()
            print(f"{wheel.name} and {archive.name} on {version}: {re.search('Version: .*', shown)[0]}")


def examples():
    if "ATOLL_URL" not in os.environ:
        testing.with_server(HERE / "test.py", "examples")
        return
    os.environ.update(ENVIRONMENT)
    testing.check_examples(lambda name: [tools(), testing.ROOT / f"examples/python/{name}.py"],
                           (*testing.EXAMPLES, "reflection_loop"))


def docs():
    if "ATOLL_URL" not in os.environ:
        testing.with_server(HERE / "test.py", "docs")
        return
    os.environ.update(ENVIRONMENT)
    found = testing.snippets("docs/sdks/python.md", "python")
    with tempfile.TemporaryDirectory(prefix="atoll-sdk-python-") as folder:
        program = pathlib.Path(folder) / "page.py"
        # Each snippet is a program of its own, but for the names that an earlier one made.
        text = "scope = {'__name__': '__main__'}\n"
        for number, (code, _) in enumerate(found, 1):
            text += f"print({testing.BETWEEN!r}, flush=True)\nexec(compile({code!r}, 'snippet {number}', 'exec'), scope)\n"
        program.write_text(text, encoding="utf-8")
        testing.check_page(found, testing.printed([tools(), "-B", program], cwd=folder))


def check_types(python, name):
    """Of an adapter, with the types of its framework. `model_clients` tests what needs none."""
    module = HERE / f"src/atoll/adapters/{name}.py"
    if module.exists():
        testing.run(tools(), "-m", "mypy", "--strict", "--config-file=", "--python-version", "3.11", "--follow-imports=silent",
                    "--disable-error-code=import-untyped", "--allow-subclassing-any", "--allow-untyped-calls", "--cache-dir", CACHE / f"mypy-{name}",
                    "--python-executable", python, module, cwd=HERE)


def bench(*words):
    """For bench/sdks.py, which has started a server."""
    print(testing.printed([tools(), "-B", HERE / "bench.py", *words], env=os.environ | ENVIRONMENT), end="")


def adapters(*names):
    """Each with the real package of its framework, in an environment of its own."""
    only_cached = "--cached" in names
    wanted = [name for name in names if not name.startswith("-")]
    ran = 0
    for requirements in sorted((HERE / "adapters").glob("*.txt")):
        name = requirements.stem
        if wanted and name not in wanted:
            continue
        if only_cached and not is_fetched(requirements):
            print(f"{name}: not fetched; ./dev test-adapters does")
            continue
        python = fetched(requirements)
        check_types(python, name)
        testing.run(sys.executable, "-B", testing.ROOT / "sdk/harness.py", "--without-scenarios", "--", python, "-B", "-m", "pytest", "-q",
                    "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning", HERE / f"adapters/test_{name}.py", env=os.environ | ENVIRONMENT)
        print(f"ok {name}", flush=True)
        ran += 1
    if wanted and ran != len(wanted):
        sys.exit(f"there are no adapters {wanted}")


def prepare_adapters(*names):
    for requirements in sorted((HERE / "adapters").glob("*.txt")):
        if not names or requirements.stem in names:
            fetched(requirements)


if __name__ == "__main__":
    commands = {"prepare": prepare, "scenarios": scenarios, "unit": unit, "lint": lint, "package": package, "examples": examples,
                "docs": docs, "bench": bench, "adapters": adapters, "prepare-adapters": prepare_adapters}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
