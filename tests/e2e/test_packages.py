"""Packages of templates come from the configured index, by pip and by npm, once, and from nowhere else."""

import base64
import hashlib
import http.server
import io
import json
import os
import socket
import tarfile
import tempfile
import threading
import time
import unittest
import zipfile

from server import DEADLINE, Server, until


def wheel(name, version, text, needs=""):
    """A wheel with one module, made by hand."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs and 'Requires-Dist: ' + needs}\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", text)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL",
                         "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return file.getvalue()


def node_package(text, **about):
    """The archive of a package with one module; `about` is its package.json."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, content in (("package.json", json.dumps(about)), ("index.js", text)):
            entry = tarfile.TarInfo("package/" + name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return file.getvalue()


class Index(http.server.ThreadingHTTPServer):
    """An index of packages on loopback: pages by path."""

    def __init__(self):
        pages, asked = self.pages, self.asked = {}, []
        index, self.endless = self, None  # the path of a file without an end

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = pages.get(self.path)
                self.send_response(200 if body else 404)
                self.send_header("content-type", "text/html" if self.path.endswith("/") else "application/octet-stream")
                self.end_headers()
                if self.path == index.endless:
                    return self.go_on()
                self.wfile.write(body or b"")

            def go_on(self):
                """1 MiB each 20 ms, and no more than 1 GiB of it."""
                try:
                    for _ in range(1024):
                        self.wfile.write(bytes(1 << 20))
                        time.sleep(0.02)
                except OSError:  # nobody listens any more
                    pass

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, host="127.0.0.1"):
        return f"http://{host}:{self.server_address[1]}"

    def add_wheel(self, name, version, text, needs=""):
        content, file = wheel(name, version, text, needs), f"{name}-{version}-py3-none-any.whl"
        self.pages[f"/{file}"] = content
        link = f'<a href="/{file}#sha256={hashlib.sha256(content).hexdigest()}">{file}</a>'
        self.pages[f"/simple/{name}/"] = link.encode()
        return f"/{file}"

    def add_node_package(self, text, **about):
        content, file = node_package(text, **about), f"/{about['name'].replace('/', '-')}.tgz"
        self.pages[file] = content
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
        version = {**about, "dist": {"tarball": self.url() + file, "integrity": integrity}}
        listing = {"name": about["name"], "versions": {about["version"]: version},
                   "dist-tags": {"latest": about["version"]}}
        self.pages["/" + about["name"].replace("/", "%2f")] = json.dumps(listing).encode()
        return file


class Silence:
    """An index that takes every connection and never answers."""

    def __init__(self):
        self.listener, self.taken = socket.create_server(("127.0.0.1", 0)), []
        self.listener.settimeout(DEADLINE)

    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def take(self):
        self.taken.append(self.listener.accept()[0])

    def is_left_alone(self):
        self.listener.setblocking(False)
        try:
            self.take()
        except BlockingIOError:
            return True
        return False

    def close(self):
        for one in (self.listener, *self.taken):
            one.close()


def installers(package):
    """Processes of pip, in sandboxes or not, that install a package."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                words = file.read()
        except OSError:  # gone meanwhile
            continue
        if {package, "pip"} <= set(words.split("\0")):
            found.append(int(pid))
    return found


class PackagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        self.folder = folder.name
        self.index = Index()
        self.addCleanup(self.index.server_close)
        self.addCleanup(self.index.shutdown)

    def serve(self, index, *settings):
        options = [word for one in (f"packages.index_url={index}", "pool.size=0", *settings) for word in ("--set", one)]
        server = Server(self.folder + "/data", "--no-auth", *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def add_template(self, server, **template):
        status, made = server.call("POST", "/api/v1/templates", {"resources": {"disk": 64}, **template})
        self.assertEqual(status, 201, made)

    def refused(self, server, template):
        status, failed = server.call("POST", "/api/v1/sessions", {"template_id": template}, {"Prefer": "wait"})
        self.assertEqual(status, 422, failed)
        self.assertFalse([name for name in os.listdir(f"{self.folder}/data/packages") if "part" in name])
        return failed["detail"]

    def check_once(self, server, **run):
        """Once for all its sandboxes, and also after a restart."""
        asked = len(self.index.asked)
        server.session(template_id="packed")
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(server.execute(server.session(template_id="packed"), **run)["exit_code"], 0)
        self.assertEqual(len(self.index.asked), asked)

    def test_wheels(self):
        self.index.add_wheel("atolltestpackage", "1.2", "def answer():\n    return 42\n")
        server = self.serve(self.index.url() + "/simple")
        self.add_template(server, id="packed", preinstalled_packages=["atolltestpackage==1.2"], pool=1)
        session = server.session(template_id="packed")
        code = "import atolltestpackage as p, os\nprint(p.answer(), p.__file__, os.access(p.__file__, os.W_OK))"
        ran = server.execute(session, code=code)
        self.assertEqual(ran["stdout"], "42 /opt/packages/atolltestpackage.py False\n", ran)
        ran = server.execute(session, code="import atolltestpackage\natolltestpackage.answer()", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "42")
        self.check_once(server, code=code)
        self.add_template(server, id="missing", preinstalled_packages=["nosuchpackage"])
        self.assertIn("nosuchpackage", self.refused(server, "missing"))

    # covers: C51
    def test_those_of_a_tenant_have_a_quota(self):
        for name, text in (("one", ""), ("two", ""), ("large", "x = 1  # " + "x" * 300_000)):
            self.index.add_wheel("atolltest" + name, "1.0", text)
        server = self.serve(self.index.url() + "/simple", "quotas.packages=2", "quotas.package_bytes=200000")

        def create(name, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            template = {"id": name + "".join(headers.values()), "preinstalled_packages": ["atolltest" + name], "resources": {"disk": 64}}
            self.assertEqual(server.call("POST", "/api/v1/templates", template, headers)[0], 201)
            status, made = server.call("POST", "/api/v1/sessions", {"template_id": template["id"]}, {"Prefer": "wait", **headers})
            return status, made.get("code")

        shop = {"Atoll_Tenant": "shop"}
        self.assertEqual(create("one", **shop), (201, None))
        self.assertEqual(create("large", **shop), (429, "quota_exceeded"))
        self.assertEqual(len(os.listdir(f"{self.folder}/data/packages/@shop")), 1)  # nothing is left of it
        server.stop()
        server.start()
        self.assertEqual(create("two", **shop), (201, None))
        self.index.add_wheel("atolltestthree", "1.0", "")
        self.assertEqual(create("three", **shop), (429, "quota_exceeded"))
        self.assertEqual(create("three"), (201, None))  # for everybody: the server's
        self.assertEqual(create("one", Atoll_Tenant="other"), (201, None))

    # covers: C51
    def test_an_installer_is_stopped_beyond_the_quota(self):
        """By what it has written so far: this package never ends, or not for a long time."""
        name = "atolltestendless" + os.urandom(4).hex()
        self.index.add_wheel(name, "1.0", "")
        self.index.endless = f"/{name}-1.0-py3-none-any.whl"
        server = self.serve(self.index.url() + "/simple", "quotas.package_bytes=1000000")
        tenant = {"Atoll-Tenant": "shop"}
        template = {"id": "packed", "preinstalled_packages": [name], "resources": {"disk": 64}}
        self.assertEqual(server.call("POST", "/api/v1/templates", template, tenant)[0], 201)
        status, made = server.call("POST", "/api/v1/sessions", {"template_id": "packed"}, {"Prefer": "wait", **tenant})
        self.assertEqual((status, made.get("code")), (429, "quota_exceeded"), made)
        self.assertEqual(os.listdir(f"{self.folder}/data/packages/@shop"), [])
        until(lambda: not installers(name), "pip is ended")

    def test_node_packages(self):
        touched = f"{self.folder}/data/touched"
        self.index.add_node_package("exports.deep = 7", name="deep", version="3.0.0")
        self.index.add_node_package("exports.answer = 35 + require('deep').deep", name="@atoll/test", version="1.2.0",
                                    dependencies={"deep": "^3.0.0"}, scripts={"postinstall": f"touch {touched}"})
        server = self.serve(self.index.url())
        self.add_template(server, id="packed", language="javascript", preinstalled_packages=["@atoll/test@^1.0.0"], pool=1)
        session = server.session(template_id="packed")
        run = {"code": "console.log(require('@atoll/test').answer, require.resolve('@atoll/test'));\n"
                       "try { require('fs').writeFileSync('/node_modules/x', '') } catch (e) { console.log(e.code) }"}
        ran = server.execute(session, **run)
        self.assertEqual(ran["stdout"], "42 /node_modules/@atoll/test/index.js\nEROFS\n", ran)
        ran = server.execute(session, code="(await import('@atoll/test')).default.answer", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "42", ran)
        ran = server.execute(session, command="cd /tmp && echo \"import {answer} from '@atoll/test'; console.log(answer)\" > a.mjs"
                                              " && node a.mjs")
        self.assertEqual(ran["stdout"], "42\n", ran)
        self.assertFalse(os.path.exists(touched))  # its script was not run
        self.check_once(server, **run)
        self.add_template(server, id="missing", language="javascript", preinstalled_packages=["nosuchpackage"])
        self.assertIn("nosuchpackage", self.refused(server, "missing"))

    def test_a_file_of_the_server_is_no_package(self):
        names = {"python": "local-1.0-py3-none-any.whl", "javascript": "local.tgz"}
        contents = {"python": wheel("local", "1.0", ""), "javascript": node_package("", name="local", version="1.0.0")}
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        server = self.serve(self.index.url())
        for language, name in names.items():
            with open(name, "wb") as file:
                file.write(contents[language])
            self.add_template(server, id=f"by-{language}", language=language, preinstalled_packages=[name])
            self.assertNotIn(self.folder, self.refused(server, f"by-{language}"))

    def test_an_index_that_does_not_answer(self):
        index = Silence()
        self.addCleanup(index.close)
        server = self.serve(index.url())
        package = "atolltest" + os.urandom(4).hex()
        self.add_template(server, id="packed", preinstalled_packages=[package])
        session = server.call("POST", "/api/v1/sessions", {"template_id": "packed"})[1]["id"]
        index.take()
        # Whoever gives up does not wait until pip does, which asks three times.
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        self.assertTrue(index.is_left_alone())
        self.assertTrue(installers(package))
        server.kill()
        server.start()  # ends the sandbox in which pip still runs
        until(lambda: not installers(package), "pip is ended")
        self.assertEqual(os.listdir(f"{self.folder}/data/packages"), [])
        # A stop does not wait for pip either.
        session = server.call("POST", "/api/v1/sessions", {"template_id": "packed"})[1]["id"]
        until(lambda: installers(package), "pip runs")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(installers(package), [])
        self.assertEqual(os.listdir(f"{self.folder}/data/packages"), [])

    def test_they_are_installed_behind_the_walls_of_a_sandbox(self):
        """As another user, in namespaces of its own, and by nothing that runs on the host."""
        index = Silence()
        self.addCleanup(index.close)
        server = self.serve(index.url())
        package = "atolltest" + os.urandom(4).hex()
        self.add_template(server, id="packed", preinstalled_packages=[package])
        server.call("POST", "/api/v1/sessions", {"template_id": "packed"})
        index.take()
        pids = installers(package)
        self.assertTrue(pids)
        for pid in pids:
            for kind in ("net", "pid", "mnt", "user"):
                self.assertNotEqual(os.readlink(f"/proc/{pid}/ns/{kind}"), os.readlink(f"/proc/self/ns/{kind}"), kind)

    def test_an_index_that_has_a_name_or_none(self):
        """Also a name that only this host knows: no resolver is asked for it."""
        self.index.add_wheel("atolltestnamed", "1.0", "")
        server = self.serve(self.index.url("localhost") + "/simple")
        self.add_template(server, id="packed", preinstalled_packages=["atolltestnamed"])
        server.session(template_id="packed")
        self.assertEqual(server.stop(), 0)
        nowhere = self.serve("http://no-such-host.invalid/simple")
        self.add_template(nowhere, id="other", preinstalled_packages=["atolltestother"])
        self.refused(nowhere, "other")

    def test_what_a_package_names_elsewhere_is_not_fetched(self):
        other = Index()
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        elsewhere = other.url("localhost")  # the index is called 127.0.0.1
        needs = f"other @ {elsewhere}{other.add_wheel('other', '1.0', '')}"
        self.index.add_wheel("wheelwithlink", "1.0", "", needs)
        self.index.add_node_package("", name="node-with-link", version="1.0.0",
                                    dependencies={"other": elsewhere + other.add_node_package("", name="other", version="1.0.0")})
        for language, path, name in (("python", "/simple", "wheelwithlink"), ("javascript", "", "node-with-link")):
            with self.subTest(language):
                server = self.serve(self.index.url() + path)
                self.add_template(server, id=f"by-{language}", language=language, preinstalled_packages=[name])
                self.refused(server, f"by-{language}")
                self.assertEqual(server.stop(), 0)
        self.assertEqual(other.asked, [])


if __name__ == "__main__":
    unittest.main()
