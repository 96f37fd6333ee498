"""Ways to run one program of the corpus.

A strategy has a name, `lacks(language)`, which is None or why programs of this language cannot run here, and
`run(program)`, which returns an Outcome and is called from several threads.
"""
import dataclasses
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from programs import Outcome

DEADLINE = 120  # seconds; only against a program that hangs
NOBODY = 65534
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COMPILERS = PATH + ":/usr/local/go/bin"  # where Go's own installer puts it


@dataclasses.dataclass(frozen=True)
class Language:
    """How a person would run a program by hand: {file} is the source, {out} an empty folder."""
    run: tuple
    build: tuple = ()

    @property
    def needs(self):
        return (self.build or self.run)[0]


LANGUAGES = {
    "python": Language(run=("python3", "{file}")),
    "javascript": Language(run=("node", "{file}")),
    "bash": Language(run=("bash", "{file}")),
    "c": Language(build=("gcc", "-o", "{out}/program", "{file}"), run=("{out}/program",)),
    "cpp": Language(build=("g++", "-o", "{out}/program", "{file}"), run=("{out}/program",)),
    "go": Language(build=("go", "build", "-o", "{out}/program", "{file}"), run=("{out}/program",)),
    # The -J options make the compiler's own start cheaper, nothing else.
    "java": Language(run=("java", "-cp", "{out}", "Main"),
                     build=("javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC",
                            "-d", "{out}", "{file}")),
    "rust": Language(build=("rustc", "-o", "{out}/program", "{file}"), run=("{out}/program",)),
}


def run_piped(command, stdin, user=None, **more):
    """Status, stdout and stderr. The pipes belong to `user`: otherwise /dev/stdout could not be opened."""
    pipes = [os.pipe() for _ in range(3)]
    if user is not None:
        for reader, _ in pipes:
            os.fchown(reader, user, -1)
    inside = (pipes[0][0], pipes[1][1], pipes[2][1])
    try:
        process = subprocess.Popen(command, stdin=inside[0], stdout=inside[1], stderr=inside[2], user=user,
                                   start_new_session=True, **more)
    finally:
        for fd in inside:
            os.close(fd)
    process.stdin = open(pipes[0][1], "wb")
    process.stdout, process.stderr = open(pipes[1][0], "rb"), open(pipes[2][0], "rb")
    with process:
        try:
            out, err = process.communicate(stdin, timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, out, err


def prepare_cache(folder):
    """A build cache of Go that nobody, the users of sandboxes and the caller can all write to."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in (folder, *(folder / f"{number:02x}" for number in range(256))):
        part.mkdir(exist_ok=True)
        if part.stat().st_uid == os.geteuid() or os.geteuid() == 0:
            part.chmod(0o777)


class Bare:
    """On the host itself, in a new folder, with the environment that a sandbox has, as an ordinary user."""
    name = "bare"

    def __init__(self, options):
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # as in a sandbox
        self._cache = options.cache
        self._identity = {}
        if os.geteuid() == 0:
            self._identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def lacks(self, language):
        needs = LANGUAGES[language].needs
        return None if shutil.which(needs, path=COMPILERS) else f"there is no {needs} in {COMPILERS}"

    def run(self, program):
        with tempfile.TemporaryDirectory(prefix="atoll-corpus-", ignore_cleanup_errors=True) as base:
            os.chmod(base, 0o755)
            workspace, temporary, out = (pathlib.Path(base, name) for name in ("workspace", "tmp", "out"))
            for folder in (workspace, temporary, out):
                folder.mkdir()
                if self._identity:
                    os.chown(folder, NOBODY, NOBODY)
            shutil.copyfile(program.path, workspace / program.path.name)
            code, *streams = self._build_and_run(program, workspace, temporary, out)
        # The folders are all that may differ between the host and a sandbox, so they are called the same.
        for folder, inside in ((workspace, b"/workspace"), (temporary, b"/tmp")):
            streams = [text.replace(os.fsencode(folder), inside) for text in streams]
        return Outcome(code if code >= 0 else 128 - code, *streams)

    def _build_and_run(self, program, workspace, temporary, out):
        language = LANGUAGES[program.language]
        environment = {"HOME": str(workspace), "LANG": "C.UTF-8", "PATH": PATH, "PYTHONUNBUFFERED": "1",
                       "TMPDIR": str(temporary), "USER": "user"}

        def filled(words):
            return [word.format(file=workspace / program.path.name, out=out) for word in words]

        if language.build:
            building = {**environment, "PATH": COMPILERS, "HOME": str(out), "GOCACHE": str(self._cache)}
            done = run_piped(filled(language.build), b"", cwd=out, env=building, **self._identity)
            if done[0] != 0:
                return done
        return run_piped([*filled(language.run), *program.arguments], program.stdin or b"", cwd=workspace,
                         env=environment, **self._identity)


class Run:
    """In a sandbox of its own, by `atoll run FILE`."""
    name = "run"

    def __init__(self, options):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
        import support
        self._atoll_run, self._options, self._cache = support.run, options.run_option, options.cache

    def lacks(self, language):
        needs = LANGUAGES[language].needs
        found = self._atoll_run("-q", "--", "sh", "-c", f"PATH={COMPILERS}; command -v {needs}")
        if found.code == 127:
            return f"there is no {needs} in {COMPILERS} inside"
        if found.code != 0:
            raise RuntimeError(f"atoll run does not work: {found}")
        return None

    def run(self, program):
        words = ["-q", "--timeout", f"{DEADLINE}s"]
        if program.stdin is not None:
            words.append("-i")
        if LANGUAGES[program.language].build:
            words += ["--cpus", "2"]
        if program.language == "go":
            words += ["--mount", f"{self._cache}:/cache:rw", "-e", "GOCACHE=/cache"]
        done = self._atoll_run(*words, *self._options, *self.what(program), *program.arguments,
                               stdin=program.stdin or b"", timeout=DEADLINE + 10)
        return Outcome(done.code, done.raw_out, done.raw_err)

    def what(self, program):
        """The words that name the program; its arguments follow them."""
        return [program.path]


class Command(Run):
    """In a sandbox of its own, by the commands of the table above: what a person would type in it."""
    name = "command"

    def what(self, program):
        language = LANGUAGES[program.language]
        file, out = f"/workspace/{program.path.name}", "/tmp/out"
        build, run = (" ".join(words).format(file=file, out=out) for words in (language.build, language.run))
        script = f'mkdir {out} && cp /source/{program.path.name} . && {build or "true"} && exec {run} "$@"'
        return ["--mount", f"{program.path.parent}:/source:ro", "-e", f"PATH={COMPILERS}",
                "--", "bash", "-c", script, "program"]


STRATEGIES = {strategy.name: strategy for strategy in (Bare, Run, Command)}
