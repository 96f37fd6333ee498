"""What the tests of the TypeScript, Go and Java SDKs share: their caches, servers, examples and pages."""
import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "atoll"
EXAMPLES = ("first_run", "data_analysis", "web_app", "agent", "test_driven_fix", "parallel_map", "snapshot_and_fork",
            "files_both_ways")
BETWEEN = "\x1e"  # a program prints this line between the snippets of a page
SNIPPET = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT = 240


def run(*command, **more):
    """The command must succeed."""
    done = subprocess.run([str(word) for word in command], check=False, **more)
    if done.returncode:
        if done.stdout:
            print(done.stdout)
        sys.exit(f"{' '.join(str(word) for word in command)}: exit {done.returncode}")
    return done.stdout


@contextlib.contextmanager
def alone(folder):
    """One process at a time prepares a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def copied(source, target, *names):
    """Files and folders of the repository, so that nothing is written beside them."""
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (source / name).is_dir():
            shutil.rmtree(target / name, ignore_errors=True)
            shutil.copytree(source / name, target / name)
        else:
            shutil.copy(source / name, target / name)


def with_scenarios(*command, **more):
    """Starts the harness's servers and a runner for all scenarios."""
    run(sys.executable, "-B", ROOT / "sdk/harness.py", "--", *command, **more)


def with_server(script, *words, **more):
    """Starts this program again, as SCRIPT WORDS, with the harness's servers in its environment."""
    run(sys.executable, "-B", ROOT / "sdk/harness.py", "--without-scenarios", "--", sys.executable, "-B", script, *words, **more)


def printed(command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT, check=False, cwd=cwd, env=env)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_examples(command_of, names=EXAMPLES):
    """Every example prints what examples/expected says; command_of(name) runs it."""
    wrong = 0
    for name in names:
        wanted = (ROOT / f"examples/expected/{name}.txt").read_text(encoding="utf-8")
        got = printed(command_of(name))
        print(f"{'ok' if got == wanted else 'WRONG'} {name}", flush=True)
        if got != wanted:
            wrong += 1
            print(f"it printed\n{got}and not\n{wanted}")
    if wrong:
        sys.exit(f"{wrong} examples are wrong")


def snippets(page, language):
    """(code, what it prints or None) of a page: blocks of the language, and `text` blocks behind them."""
    found = []
    for kind, text in SNIPPET.findall((ROOT / page).read_text(encoding="utf-8")):
        if kind == language:
            found.append([text, None])
        elif kind == "text" and found:
            found[-1][1] = text
    return found


def check_page(found, output):
    parts = output.split(BETWEEN + "\n")[1:]
    if len(parts) != len(found) or len(found) < 4:
        sys.exit(f"{len(parts)} of {len(found)} snippets ran\n{output}")
    for (code, wanted), got in zip(found, parts, strict=True):
        if wanted is not None and got != wanted:
            sys.exit(f"the snippet\n{code}printed\n{got}and not\n{wanted}")
    print(f"{len(found)} snippets ran")
