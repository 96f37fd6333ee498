#!/usr/bin/env python3
"""Tests of the Go SDK.

usage: test.py [--build DIR] prepare | scenarios | unit | package | examples | docs | bench [--quick]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import testing  # noqa: E402

CACHE = testing.CACHE / "sdk-go"
MODULE, VERSION = "github.com/atoll-dev/atoll-go", "v0.1.0"
OLDEST = (1, 23)
TOOLCHAIN = "golang.org/toolchain@v0.0.1-go1.26.8.linux-" + {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, "amd64")
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
PACKAGES = {"bytes", "context", "errors", "fmt", "io", "os", "strings", "time"}  # that snippets may use


def environment(**more):
    return {**os.environ, "GOMODCACHE": str(CACHE / "mod"), "GOCACHE": str(CACHE / "build"), "GOBIN": str(CACHE / "bin"),
            "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off", **more}


def version_of(program):
    said = subprocess.run([program, "version"], capture_output=True, text=True, check=False, env=environment()).stdout
    found = re.search(r"go(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def go():
    """A Go that is new enough: the machine's, or one that an older Go fetches as a module."""
    programs = [one for one in (shutil.which("go"), "/usr/local/go/bin/go") if one and os.path.exists(one)]
    for program in programs:
        if version_of(program) >= OLDEST:
            return program
    if not programs:
        sys.exit("there is no Go here; ./dev setup installs golang-go")
    with testing.alone(CACHE):
        told = testing.run(programs[0], "mod", "download", "-json", TOOLCHAIN, env=environment(), capture_output=True, text=True)
    folder = pathlib.Path(json.loads(told)["Dir"])
    for path in [folder / "bin", *folder.glob("pkg/tool/*")]:
        for program in path.iterdir():  # modules have no permissions
            if not os.access(program, os.X_OK):
                program.chmod(0o755)
    return str(folder / "bin/go")


def staticcheck():
    program = CACHE / "bin/staticcheck"
    with testing.alone(CACHE):
        if not program.exists():
            testing.run(go(), "install", STATICCHECK, env=environment())
    return program


def build(folder, source, name):
    """A program of a package of this repository."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    testing.run(go(), "build", "-o", program, ".", cwd=source, env=environment())
    return program


def unit():
    unformatted = testing.run(pathlib.Path(go()).with_name("gofmt"), "-l", HERE, testing.ROOT / "examples/go", capture_output=True, text=True)
    if unformatted:
        sys.exit(f"not as gofmt has it:\n{unformatted}")
    path = f"{pathlib.Path(go()).parent}:{os.environ['PATH']}"
    for folder in (HERE, testing.ROOT / "examples/go"):
        testing.run(go(), "vet", "./...", cwd=folder, env=environment())
        testing.run(staticcheck(), "./...", cwd=folder, env=environment(PATH=path))
    testing.run(go(), "test", "-count=1", "./...", cwd=HERE, env=environment())


def docs(folder):
    found = testing.snippets("docs/sdks/go.md", "go")
    functions = [f"func snippet{at}(ctx context.Context) error {{\n{code}" + ("}\n" if code.rstrip().splitlines()[-1].startswith("return") else "\nreturn nil\n}\n") for at, (code, _) in enumerate(found)]
    calls = [f'fmt.Println("{testing.BETWEEN}")\nif err := snippet{at}(ctx); err != nil {{ panic(err) }}\n' for at in range(len(found))]
    text = "".join([*functions, "func main() {\nctx := context.Background()\n", *calls, "}\n"])
    imports = [f'import "{name}"\n' for name in sorted(PACKAGES) if re.search(rf"\b{name}\.[A-Z]", text)]
    page = folder / "page"
    page.mkdir(parents=True, exist_ok=True)
    (page / "main.go").write_text("".join(["package main\n", *imports, 'import "github.com/atoll-dev/atoll-go"\n', text]))
    (page / "go.mod").write_text("module page\n\ngo 1.23\n\nrequire github.com/atoll-dev/atoll-go v0.0.0\n\n"
                                 f"replace github.com/atoll-dev/atoll-go => {HERE}\n")
    testing.check_page(found, testing.printed([build(folder, page, "page.out")], cwd=folder))


def module_zip(target):
    """The module as a proxy gives it away."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(HERE.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, f"{MODULE}@{VERSION}/{path.relative_to(HERE)}")


def package():
    """The module, fetched from a proxy by its path and version into a project that has nothing else."""
    with tempfile.TemporaryDirectory(prefix="atoll-go-") as name:
        place = pathlib.Path(name)
        proxy = place / "proxy" / MODULE / "@v"
        proxy.mkdir(parents=True)
        (proxy / "list").write_text(VERSION + "\n")
        (proxy / f"{VERSION}.info").write_text(json.dumps({"Version": VERSION, "Time": "2026-01-01T00:00:00Z"}))
        shutil.copy(HERE / "go.mod", proxy / f"{VERSION}.mod")
        module_zip(proxy / f"{VERSION}.zip")
        clean = place / "clean"
        clean.mkdir()
        shutil.copy(testing.ROOT / "examples/go/first_run/main.go", clean)
        env = environment(GOPROXY=f"file://{place / 'proxy'}", GOMODCACHE=str(place / "mod"), GONOSUMDB="*", GONOSUMCHECK="1",
                          GOFLAGS="-buildvcs=false -modcacherw")
        for words in (["mod", "init", "clean"], ["get", f"{MODULE}@{VERSION}"], ["build", "-o", place / "first_run", "."]):
            testing.run(go(), *words, cwd=clean, env=env, stderr=subprocess.DEVNULL if words[0] != "build" else None)
        wanted = (testing.ROOT / "examples/expected/first_run.txt").read_text(encoding="utf-8")
        if (got := testing.printed([place / "first_run"], cwd=place)) != wanted:
            sys.exit(f"it printed\n{got}and not\n{wanted}")
    print(f"{MODULE}@{VERSION} works in a clean project")


def examples(folder):
    place = testing.ROOT / "examples/go"
    programs = {name: build(folder, place / name, name) for name in testing.EXAMPLES}
    testing.check_examples(lambda name: [programs[name]])


def main():
    parser = argparse.ArgumentParser(description="tests of the Go SDK")
    parser.add_argument("--build", type=pathlib.Path, default=testing.ROOT / "build/sdk-go")
    parser.add_argument("what", choices=("prepare", "scenarios", "unit", "package", "examples", "docs", "bench"))
    parser.add_argument("--quick", action="store_true", help="of bench: a tenth of the rounds")
    args = parser.parse_args()
    folder = args.build.resolve()
    if args.what == "prepare":
        staticcheck()
        build(folder, HERE / "internal/scenarios", "scenarios")
    elif args.what == "scenarios":
        testing.with_scenarios(build(folder, HERE / "internal/scenarios", "scenarios"))
    elif args.what == "bench":
        program = build(folder, HERE / "internal/bench", "bench")
        print(testing.printed([program, *(["--quick"] if args.quick else [])]), end="")
    elif "ATOLL_CONTROL" not in os.environ:
        testing.with_server(__file__, "--build", args.build, args.what)
    elif args.what == "unit":
        unit()
    elif args.what == "package":
        package()
    else:
        {"examples": examples, "docs": docs}[args.what](folder)


if __name__ == "__main__":
    main()
