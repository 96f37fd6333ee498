#!/usr/bin/env python3
"""Tests of the TypeScript SDK: builds it in a folder of its own and runs what is asked for.

usage: test.py [--build DIR] prepare | scenarios [--runtime node|bun|deno] | browser | unit | package | examples | docs | bench [--quick]
"""
import argparse
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402
import testing  # noqa: E402

PARTS = ("src", "test", "scripts", "package.json", "tsconfig.json", "tsconfig.cjs.json", "README.md")
STRICT = ["--ignoreConfig", "--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--strict", "--skipLibCheck",
          "--lib", "es2022,esnext.disposable,dom,dom.iterable,dom.asynciterable", "--types", "node"]


def fetched(source, command, *names):
    """The node_modules of a package.json, fetched once into the cache."""
    kind = hashlib.sha256(b"".join((source / name).read_bytes() for name in names)).hexdigest()[:16]
    folder = testing.CACHE / "sdk-typescript" / kind
    with testing.alone(folder.parent):
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            testing.copied(source, folder, *names)
            testing.run("npm", command, "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", cwd=folder)
            (folder / "ready").touch()
    return folder / "node_modules"


def packages():
    return fetched(HERE, "ci", "package.json", "package-lock.json")


def runtimes():
    return fetched(HERE / "runtimes", "install", "package.json")


def node():
    """The machine's own, unless it is older than this package allows."""
    try:
        version = subprocess.run(["node", "-p", "process.versions.node"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        version = ""
    if version and int(version.split(".")[0]) >= 20:
        return "node"
    modules = fetched(HERE / "runtimes/node", "install", "package.json")
    return next(modules.glob("node-linux-*/bin/node"))


def build(folder):
    """The package, compiled; once for all tests that run at the same time."""
    with testing.alone(folder):
        stamp = hashlib.sha256()
        for path in sorted(one for part in PARTS for one in ([HERE / part] if (HERE / part).is_file() else (HERE / part).rglob("*"))):
            if path.is_file():
                stamp.update(str(path).encode() + path.read_bytes())
        if (folder / "built").exists() and (folder / "built").read_text() == stamp.hexdigest():
            return folder
        testing.copied(HERE, folder, *PARTS)
        modules = folder / "node_modules"
        if not modules.is_symlink():
            modules.symlink_to(packages())
        testing.run(node(), "scripts/build.mjs", cwd=folder)
        (folder / "built").write_text(stamp.hexdigest())
    return folder


def command(folder, runtime, script):
    """How a runtime starts a script."""
    if runtime == "node":
        return [node(), folder / script]
    words = {"bun": ["bun"], "deno": ["deno", "run", "-A", "--quiet"]}[runtime]
    return [runtimes() / ".bin" / words[0], *words[1:], folder / script]


def project(folder, name):
    """A folder within the package, whose programs import it by its name."""
    place = folder / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    return place


def compile_programs(folder, place):
    testing.run(node(), folder / "node_modules/typescript/bin/tsc", *STRICT, "--rootDir", place, "--outDir", place / "out",
                *sorted(place.glob("*.ts")), cwd=place)
    return place / "out"


def examples(folder):
    place = project(folder, "examples")
    for path in (testing.ROOT / "examples/typescript").glob("*.ts"):
        shutil.copy(path, place)
    out = compile_programs(folder, place)
    testing.check_examples(lambda name: [node(), out / f"{name}.js"])


def docs(folder):
    found = testing.snippets("docs/sdks/typescript.md", "ts")
    imports, blocks = {}, []
    for code, _ in found:
        for names, module in re.findall(r'^import \{ (.*) \} from "(.*)";$', code, re.MULTILINE):
            imports.setdefault(module, set()).update(names.split(", "))
        body = re.sub(r"^import .*;\n", "", code, flags=re.MULTILINE)
        blocks.append(f"console.log(\"\\u001e\");\n{{\n{body}}}\n")
    place = project(folder, "docs")
    heads = [f'import {{ {", ".join(sorted(names))} }} from "{module}";' for module, names in imports.items()]
    (place / "page.ts").write_text("\n".join([*heads, *blocks]))
    out = compile_programs(folder, place)
    testing.check_page(found, testing.printed([node(), out / "page.js"], cwd=place))


def package(folder):
    """What `npm pack` makes, in a project that has nothing else, for both kinds of modules and for a type checker."""
    with tempfile.TemporaryDirectory(prefix="atoll-npm-") as name:
        place = pathlib.Path(name)
        made = json.loads(testing.run("npm", "pack", "--json", "--pack-destination", place, cwd=folder, capture_output=True, text=True))
        made = list(made.values())[0] if isinstance(made, dict) else made[0]
        names = {one["path"] for one in made["files"]}
        for wanted in ("README.md", "dist/esm/index.js", "dist/esm/index.d.ts", "dist/cjs/index.js", "dist/cjs/package.json"):
            if wanted not in names:
                sys.exit(f"the package lacks {wanted}")
        if stray := {one for one in names if not one.startswith("dist/")} - {"package.json", "README.md"}:
            sys.exit(f"the package holds {stray}")
        (place / "package.json").write_text('{"name": "clean", "version": "1.0.0"}\n')
        testing.run("npm", "install", "--offline", "--no-audit", "--no-fund", "--omit=peer", place / made["filename"], cwd=place)
        use = 'const s = await Sandbox.create(); console.log((await s.run("print(6 * 7)")).stdout.trim()); await s.end();'
        (place / "esm.mjs").write_text(f'import {{ Sandbox }} from "@atoll/sdk";\n{use}\n')
        (place / "cjs.cjs").write_text(f'const {{ Sandbox }} = require("@atoll/sdk");\n(async () => {{ {use} }})();\n')
        for script in ("esm.mjs", "cjs.cjs"):
            if (got := testing.printed([node(), place / script], cwd=place)) != "42\n":
                sys.exit(f"{script} printed {got}")
        (place / "types.mts").write_text('import { Sandbox, type Execution } from "@atoll/sdk";\n'
                                         "export async function f(s: Sandbox): Promise<Execution> { return s.run('1'); }\n"
                                         "// @ts-expect-error a number is no code\nexport const g = (s: Sandbox) => s.run(1);\n")
        (place / "types.cts").write_text('import { Sandbox } from "@atoll/sdk";\nexport const h = (s: Sandbox) => s.exec(["ls"]);\n')
        strict = ["es2022,esnext.disposable,dom" if "dom" in word else word for word in STRICT[:-2]]  # without Node's types
        testing.run(node(), folder / "node_modules/typescript/bin/tsc", *strict, "--noEmit", "--types", "", "types.mts", "types.cts", cwd=place)
        print("package: ESM, CommonJS and types work in a clean project")


PAGE = """<!doctype html><meta charset="utf-8"><title>SDK</title>
<script type="importmap">{"imports": {"@atoll/sdk": "/dist/esm/index.js"}}</script>
<script type="module" src="/test/browser.mjs"></script>
"""
CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
            "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
            "--no-proxy-server"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Page(http.server.SimpleHTTPRequestHandler):
    """The package, a page that uses it, and what the page says at its end."""
    extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", "": "application/octet-stream"}

    def do_GET(self):
        if self.path != "/":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def do_POST(self):
        self.server.verdicts.put(self.rfile.read(int(self.headers["content-length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def pages(folder):
    """A server of pages, and its port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *words: Page(*words, directory=folder))
    server.verdicts = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def in_browser(program, address, verdicts, place):
    """What the page at the address says."""
    with open(place / "log", "wb") as log:
        process = subprocess.Popen([program, *CHROMIUM, f"--user-data-dir={place / 'profile'}", address], stdout=log, stderr=log,
                                   env={**os.environ, "HOME": str(place)}, start_new_session=True)
        try:
            return verdicts.get(timeout=testing.TIMEOUT)
        except queue.Empty:
            return "the page said nothing\n" + (place / "log").read_text(encoding="utf-8", errors="replace")[-3000:]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def browser(folder):
    """In Chromium, on a page of an origin that the server lists, and on one that it does not."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        sys.exit("there is no Chromium here; ./dev setup installs it")
    with tempfile.TemporaryDirectory(prefix="atoll-browser-", ignore_cleanup_errors=True) as name, pages(folder) as page:
        place = pathlib.Path(name)
        origin = f"http://127.0.0.1:{page.server_port}"
        server = harness.Server(place, "--set", f"server.corsOrigins={json.dumps([origin])}")
        try:
            key = server.key("default", "user")
            server.start()
            for listed, host in (("yes", origin), ("", f"http://localhost:{page.server_port}")):
                words = urllib.parse.urlencode({"url": server.url, "apiKey": key, "listed": listed})
                said = in_browser(program, f"{host}/#{words}", page.verdicts, place)
                if said != "ok":
                    sys.exit(f"on {host}: {said}")
        finally:
            server.stop()
    print(f"browser: {pathlib.Path(program).name}, a listed origin and another")


def main():
    parser = argparse.ArgumentParser(description="tests of the TypeScript SDK")
    parser.add_argument("--build", type=pathlib.Path, default=testing.ROOT / "build/sdk-typescript")
    parser.add_argument("--runtime", choices=("node", "bun", "deno"), default="node")
    parser.add_argument("what", choices=("prepare", "scenarios", "browser", "unit", "package", "examples", "docs", "bench"))
    parser.add_argument("--quick", action="store_true", help="of bench: a tenth of the rounds")
    args = parser.parse_args()
    if args.what == "prepare":
        packages()
        runtimes()
        node()
        return
    folder = build(args.build.resolve())
    if args.what == "scenarios":
        testing.with_scenarios(*command(folder, args.runtime, "test/scenarios.mjs"))
    elif args.what == "browser":
        browser(folder)
    elif args.what == "bench":
        print(testing.printed([node(), folder / "test/bench.mjs", *(["--quick"] if args.quick else [])]), end="")
    elif "ATOLL_CONTROL" not in os.environ:
        testing.with_server(__file__, "--build", args.build, args.what)
    elif args.what == "unit":
        testing.run(node(), "--test", "--test-reporter=spec", *sorted((folder / "test").glob("*.test.mjs")), cwd=folder)
    else:
        {"package": package, "examples": examples, "docs": docs}[args.what](folder)


if __name__ == "__main__":
    main()
