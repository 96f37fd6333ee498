"""`atoll serve` and `atoll run` with sandboxes in containers of a real engine, and what happens when that fails."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from docker_case import DockerCase
from server import Server, check_workspace
from support import BIN, run, start
from test_docs import blocks
from with_dockerd import IMAGE, free_port

DEFAULT_IMAGE = "python:3.11-slim"


class DockerTest(DockerCase):
    def test_a_session_from_create_to_delete(self):
        server = self.serve()
        session = server.session()
        [name] = self.containers()
        self.assertRegex(name, rf"^atoll-[0-9a-f]{{16}}-\w+$")
        ran = server.execute(session, code="print(6 * 7)")
        self.assertEqual((ran["state"], ran["stdout"]), ("completed", "42\n"), ran)
        self.assertEqual(server.text(session, command="echo out; echo err >&2; exit 3"),
                         "out\n\nSTDERR:\nerr\n\n\nExit code: 3")
        ran = server.execute(session, code="console.log(6 * 7)", language="javascript")
        self.assertEqual((ran["state"], ran["stdout"]), ("completed", "42\n"), ran)
        content = bytes(range(256)) * 1000
        files = f"/api/v1/sessions/{session}/files"
        self.assertIn(server.call("PUT", f"{files}/a/b.bin", content)[0], (200, 201, 204))
        self.assertEqual(server.call("GET", f"{files}/a/b.bin"), (200, content))
        server.execute(session, command="head -c 20M /dev/zero > 20m")
        usage = server.call("GET", f"/api/v1/sessions/{session}/usage")[1]
        self.assertEqual(usage["memory_limit_mb"], 512)
        self.assertGreaterEqual(usage["disk_usage_mb"], 20)
        self.assertGreater(usage["memory_usage_mb"], 0)
        isolation = server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]
        self.assertEqual(isolation["missing"], ["user_namespace", "own_uids"])
        path = f"/api/v1/sessions/{session}"
        self.assertEqual(server.call("POST", path + "/pause")[0], 200)
        self.assertEqual(server.call("POST", path + "/execute", {"command": "true"})[0], 409)
        self.assertEqual(server.call("POST", path + "/resume")[0], 200)
        self.assertEqual(server.execute(session, command="echo awake")["stdout"], "awake\n")
        self.assertEqual(server.call("DELETE", path)[0], 204)
        self.until(lambda: not self.containers())

    def test_the_workspace_of_a_key(self):
        check_workspace(self, self.serve())

    def test_walls(self):
        server = self.serve('sandbox.filesystem.denyRead=["/etc/hostname", "/usr/share/perl5"]',
                            'sandbox.filesystem.denyWrite=[".env"]', 'sandbox.filesystem.allowWrite=["/srv"]')
        session = server.session()
        facts = server.execute(session, command="id -u; grep -E 'CapEff|NoNewPrivs' /proc/self/status; "
                                                "ls /sys/class/net; cat /sys/fs/cgroup/*/pids.max "
                                                "/sys/fs/cgroup/pids.max 2>/dev/null")["stdout"].split()
        self.assertEqual(facts, ["1000", "CapEff:", "0" * 16, "NoNewPrivs:", "1", "lo", "101"])
        for command in ("touch /usr/x", "touch /etc/x", "cat /etc/hostname", "ls /usr/share/perl5", "echo x > .env",
                        "mv .env other", "ls /run/atoll", "mount -t tmpfs x /mnt", "mknod /tmp/d b 1 1",
                        "head -c 200m /dev/zero > big", "python3 -c 'import os; os.setuid(0)'",
                        "python3 -c 'import os; os.sched_setaffinity(1, {0})'"):
            self.assertNotEqual(server.execute(session, command=command)["exit_code"], 0, command)
        self.assertEqual(server.execute(session, command="echo x > /srv/x && cat /srv/x")["stdout"], "x\n")
        own = "import os; os.sched_setaffinity(0, os.sched_getaffinity(0))"
        self.assertEqual(server.execute(session, command=["python3", "-c", own])["exit_code"], 0)

    def test_a_template_on_a_server_with_another_default(self):
        """A server that was root keeps what docker needs when the configuration or a stored template names it."""
        template = {"id": "boxed", "language": "bash", "backend": "docker", "image": IMAGE}
        facts = "id -u; test -e /.dockerenv && echo in a container"
        named = self.serve("sandbox.backend=native")
        self.assertEqual(named.call("POST", "/api/v1/templates", template)[0], 201)
        session = named.session(template_id="boxed")
        self.assertEqual(named.execute(session, command=facts)["stdout"], "1000\nin a container\n")
        native = named.session(template_id="shell-default")
        self.assertNotIn("container", named.execute(native, command=facts)["stdout"])
        self.assertNotIn("read_only_root", named.call("GET", f"/api/v1/sessions/{native}")[1]["isolation"]["missing"])
        self.assertEqual(named.stop(), 0)
        self.assertEqual(self.containers(), [])
        # The template alone names it; the engine is found by the environment.
        os.environ["DOCKER_HOST"] = f"unix://{self.engine.socket}"
        self.addCleanup(os.environ.pop, "DOCKER_HOST")
        stored = Server(self.data, "--no-auth", "--set", "pool.size=0")
        self.addCleanup(lambda: stored.process.poll() is None and stored.stop())
        session = stored.session(template_id="boxed")
        self.assertEqual(stored.execute(session, command=facts)["stdout"], "1000\nin a container\n")
        stored.kill()
        stored.start()
        self.assertEqual(stored.execute(session, command=facts)["stdout"], "1000\nin a container\n")
        self.assertEqual(stored.call("DELETE", "/api/v1/templates/boxed")[0], 204)
        self.assertEqual(stored.stop(), 0)
        self.assertEqual(self.containers(), [])
        # Nobody names it: no group is kept.
        plain = Server(self.data, "--no-auth", "--set", "pool.size=0")
        self.addCleanup(lambda: plain.process.poll() is None and plain.stop())
        self.assertEqual(groups_of(plain.process.pid), [])

    def test_a_stored_template_alone_gives_no_power(self):
        """Whoever takes over a server can store a template. Docker's group, which is root's power, comes from the operator."""
        self.assertIsNone(os.environ.get("DOCKER_HOST"))
        server = Server(self.data, "--no-auth", "--set", "pool.size=0")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        template = {"id": "boxed", "language": "bash", "backend": "docker", "image": IMAGE}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual(groups_of(server.process.pid), [])
        status, refused = server.call("POST", "/api/v1/sessions", {"template_id": "boxed"}, {"Prefer": "wait"})
        self.assertEqual((status, refused["code"]), (502, "backend_error"), refused)
        self.assertIn("sandbox.backends.docker", refused["detail"])

    def test_a_template_that_names_a_backend_later(self):
        """A server that was root has given up what docker needs; the answer says what to do, and that helps."""
        os.environ["DOCKER_HOST"] = f"unix://{self.engine.socket}"
        self.addCleanup(os.environ.pop, "DOCKER_HOST")
        server = Server(self.data, "--no-auth", "--set", "pool.size=0")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        template = {"id": "boxed", "language": "bash", "backend": "docker", "image": IMAGE}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        asked = ("POST", "/api/v1/sessions", {"template_id": "boxed"}, {"Prefer": "wait"})
        status, refused = server.call(*asked)
        self.assertEqual((status, refused["code"]), (502, "backend_error"), refused)
        self.assertIn("restart it", refused["detail"])
        self.assertEqual(server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})[0], 201)  # native goes on
        self.assertEqual(server.stop(), 0)
        server.start()
        status, made = server.call(*asked)
        self.assertEqual(status, 201, made)
        self.assertEqual(server.execute(made["id"], command="test -e /.dockerenv")["exit_code"], 0)

    def test_a_hostname_resolves(self):
        server = self.serve()
        code = "import socket; print(socket.gethostbyname(socket.gethostname()))"
        ran = server.execute(server.session(), command="getent hosts $(hostname)")
        self.assertEqual(ran["stdout"].split()[:1], ["127.0.0.1"], ran)
        environment = {"DOCKER_HOST": f"unix://{self.engine.socket}"}
        for name in ((), ("--hostname", "box-7")):
            ran = run("--backend", "docker", "--image", IMAGE, *name, "--", "python3", "-c", code, env=environment)
            self.assertEqual((ran.code, ran.out), (0, "127.0.0.1\n"), ran)

    def test_a_writable_root(self):
        server = self.serve()
        template = {"id": "open", "language": "bash", "security": {"read_only_filesystem": False}}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        session = server.session(template_id="open")
        # uid 1000 does not own the root of this image.
        self.assertIn("Permission denied", server.execute(session, command="touch /x")["stderr"])
        self.assertIn("Read-only", server.execute(server.session(), command="touch /x")["stderr"])
        server.kill()
        server.start()
        isolation = server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]
        self.assertLessEqual({"read_only_root", "disk_limit"}, set(isolation["missing"]))
        limited = {"template_id": "open", "config": {"resources": {"disk": 16}}}
        status, refused = server.call("POST", "/api/v1/sessions", limited, {"Prefer": "wait"})
        self.assertIn("limit_unenforceable", str(refused), status)

    def test_added_capabilities(self):
        """Each command works with its capability, and fails without it."""
        caps = {"CHOWN": "touch f && chown 1234 f", "SETUID": "python3 -c 'import os; os.setuid(1234)'",
                "SETGID": "python3 -c 'import os; os.setgid(1234)'"}
        others = ["mknod /tmp/d b 1 1", "mount -t tmpfs x /mnt", "touch /usr/x", "chroot / true", "ls /run/atoll"]
        for given in ("", "CHOWN", "SETUID", "SETGID", "CHOWN SETUID SETGID"):
            words = given.split()
            server = self.serve("sandbox.backends.docker.capAdd=" + json.dumps(words))
            session = server.session()
            for name, command in caps.items():
                ran = server.execute(session, command=command)
                self.assertEqual(ran["exit_code"] == 0, name in words, (given, command, ran))
            for command in others:
                self.assertNotEqual(server.execute(session, command=command)["exit_code"], 0, (given, command))
            named = {"no_capabilities", *("no_cap_" + word.lower() for word in words)} if words else set()
            for again in (False, True):  # as the server asked for it, and as the engine tells it
                if again:
                    server.kill()
                    server.start()
                    self.assertEqual(server.execute(session, command="true")["exit_code"], 0)
                missing = server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]["missing"]
                self.assertEqual({wall for wall in missing if wall.startswith("no_cap")}, named, (given, missing))
            self.assertEqual(server.stop(), 0)
        self.assertEqual(self.containers(), [])

    def test_a_named_network(self):
        made = self.engine.call("POST", "/networks/create", {"Name": "atoll-test-net", "Internal": True})
        self.assertEqual(made[0], 201, made)
        server = self.serve("sandbox.backends.docker.networkMode=atoll-test-net")
        template = {"id": "online", "language": "bash", "security": {"allow_network": True}}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        session = server.session(template_id="online", config={"allow_network": True})
        self.assertIn("eth0", server.execute(session, command="ls /sys/class/net")["stdout"])
        self.assertIn("network_namespace", server.call("GET", f"/api/v1/sessions/{session}")[1]["isolation"]["missing"])
        alone = server.session(template_id="shell-default")
        self.assertEqual(server.execute(alone, command="ls /sys/class/net")["stdout"], "lo\n")

    def test_a_killed_server_is_continued(self):
        server = self.serve()
        session = server.session()
        server.execute(session, code="x = 41", context="default")
        server.execute(session, command="echo kept > note; (sleep 1000 & echo $! > pid)")
        lost = server.session()
        server.kill()
        self.assertEqual(self.engine.call("DELETE", f"/containers/{self.containers()[-1]}?force=1")[0], 204)
        server.start()
        self.assertEqual(self.state(server, session), "ready")
        self.until(lambda: self.state(server, lost) == "failed")  # found out in the background
        ran = server.execute(session, code="x + 1", context="default")
        self.assertEqual(ran["result"]["results"][0]["data"]["text/plain"], "42")
        ran = server.execute(session, command="cat note; test -d /proc/$(cat pid) && echo lives")
        self.assertEqual(ran["stdout"], "kept\nlives\n")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.containers(), [])
        self.assertEqual(os.listdir(self.data + "/docker"), [])

    def test_a_moved_data_folder(self):
        server = self.serve()
        session = server.session()
        server.execute(session, command="echo kept > note")
        server.kill()
        server.data = self.data + "-moved"
        os.rename(self.data, server.data)
        server.start()
        self.assertEqual(server.execute(session, command="cat note")["stdout"], "kept\n")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.containers(), [])

    def test_a_container_paused_from_outside(self):
        server = self.serve()
        session = server.session()
        [name] = self.containers()
        self.assertEqual(self.engine.call("POST", f"/containers/{name}/pause")[0], 204)
        ran = server.execute(session, command="true", timeout=1)
        self.assertIn(ran.get("state") or ran.get("code"), ("timed_out", "conflict"), ran)
        self.until(lambda: self.state(server, session) == "paused")
        path = f"/api/v1/sessions/{session}"
        self.assertEqual(server.call("POST", path + "/resume")[0], 200)
        self.assertEqual(server.execute(session, command="echo awake")["stdout"], "awake\n")
        self.assertEqual(self.engine.call("POST", f"/containers/{name}/pause")[0], 204)
        self.assertEqual(server.call("POST", path + "/resume")[0], 200)  # before anybody has noticed
        self.assertEqual(server.execute(session, command="echo awake")["stdout"], "awake\n")
        self.assertEqual(self.engine.call("POST", f"/containers/{name}/pause")[0], 204)
        self.assertEqual(server.call("DELETE", path)[0], 204)
        self.until(lambda: not self.containers())

    def test_a_container_with_another_name(self):
        """Whoever renames it takes it away from nobody."""
        server = self.serve()
        session, other = server.session(), server.session()
        for number, name in enumerate(self.containers()):
            self.assertEqual(self.engine.call("POST", f"/containers/{name}/rename?name=renamed-{number}")[0], 204)
        path = f"/api/v1/sessions/{session}"
        self.assertEqual(server.call("GET", path + "/usage")[0], 200)
        self.assertEqual(server.call("POST", path + "/pause")[0], 200)
        self.assertEqual(server.call("POST", path + "/resume")[0], 200)
        server.kill()
        server.start()
        self.assertEqual(server.execute(session, command="echo found")["stdout"], "found\n")
        self.assertEqual(server.call("GET", path + "/usage")[0], 200)
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{other}")[0], 204)
        self.until(lambda: len(self.containers()) == 1)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.containers(), [])

    def test_what_nobody_owns_is_removed(self):
        server = self.serve()
        server.session()
        [name] = self.containers()
        server.kill()
        for left in pathlib.Path(self.data).glob("*.db*"):
            left.unlink()
        server.start()
        self.until(lambda: name not in self.containers())

    def test_the_pool_is_filled_and_emptied(self):
        server = self.serve("pool.size=1", "pool.max_total=1")
        self.until(lambda: len(self.containers()) == 1)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.containers(), [])

    def test_a_sandbox_that_waited_for_its_first_use(self):
        server = self.serve()
        session = server.session()
        made = time.monotonic()
        self.until(lambda: time.monotonic() > made + 6)  # longer than the guest waits for a first word
        self.assertEqual(server.execute(session, command="echo here")["stdout"], "here\n")

    def test_a_container_killed_from_outside(self):
        server = self.serve()
        session = server.session()
        [name] = self.containers()
        self.assertEqual(self.engine.call("POST", f"/containers/{name}/kill")[0], 204)
        server.execute(session, command="true")
        self.until(lambda: self.state(server, session) == "failed")
        self.until(lambda: not self.containers())

    def test_a_socket_without_permission(self):
        self.engine.socket.chmod(0o600)
        try:
            outcome = run("--backend", "docker", "--", "true", env={"DOCKER_HOST": f"unix://{self.engine.socket}"})
        finally:
            self.engine.socket.chmod(0o660)
        self.assertEqual(outcome.code, 125)
        self.assertIn("may not be opened", outcome.err)

    def test_one_run_ends_with_its_caller(self):
        places = pathlib.Path(self.data)
        places.mkdir()
        places.chmod(0o777)
        environment = {"DOCKER_HOST": f"unix://{self.engine.socket}", "TMPDIR": str(places)}
        outcome = run("--backend", "docker", "--image", IMAGE, "-q", "--", "sh", "-c", "echo $0; exit 3", "x", env=environment)
        self.assertEqual((outcome.code, outcome.out), (3, "x\n"), outcome)
        self.until(lambda: not self.containers())
        process = start("--backend", "docker", "--image", IMAGE, "--", "sleep", "1000", env={**os.environ, **environment})
        self.until(self.containers)
        self.until(lambda: "sleep" in self.engine.call("GET", f"/containers/{(self.containers() or ['x'])[0]}/top")[1].decode())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.until(lambda: not self.containers())
        run("--backend", "docker", "--image", IMAGE, "--", "true", env=environment)
        self.assertEqual(os.listdir(places), [])


    def test_the_document(self):
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/backends.md").read_text()
        section = page.partition("## Docker\n")[2].partition("\n## ")[0]
        pairs = blocks(section)
        self.assertGreater(len(pairs), 2)
        name, _, tag = DEFAULT_IMAGE.partition(":")
        self.assertEqual(self.engine.call("POST", f"/images/{IMAGE}/tag?repo={name}&tag={tag}")[0], 201)
        environment = {**os.environ, "DOCKER_HOST": f"unix://{self.engine.socket}", "NO_COLOR": "1",
                       "PATH": f"{BIN}:{os.environ['PATH']}"}
        for commands, printed in pairs:
            done = subprocess.run(["bash", "-c", commands], env=environment, capture_output=True, text=True)
            self.assertEqual(done.stdout, printed, done)

    def restart_engine(self, *options):
        self.engine.stop()
        self.engine.start(*options)

    def test_sandboxes_end_with_their_engine(self):
        server = self.serve()
        session = server.session()
        self.engine.stop()
        try:
            status, problem = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            self.assertIn("does not answer", json.dumps(problem), status)
            server.execute(session, command="true")
            self.until(lambda: self.state(server, session) == "failed")
        finally:
            self.engine.start()
        self.until(lambda: not self.containers())
        again = server.session()
        self.assertEqual(server.execute(again, command="echo back")["stdout"], "back\n")
        self.assertEqual(server.stop(), 0)
        self.until(lambda: not self.containers())

    def test_sandboxes_outlive_an_engine_that_restores_them(self):
        self.restart_engine("--live-restore")
        self.addCleanup(self.restart_engine)
        server = self.serve()
        session, other = server.session(), server.session()
        server.execute(session, command="echo kept > note")
        self.engine.stop()
        try:
            self.assertEqual(server.execute(session, command="cat note")["stdout"], "kept\n")
            self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{other}")[0], 204)
            server.kill()
            server.start()
            self.assertEqual(self.state(server, session), "ready")
            self.assertEqual(server.execute(session, command="cat note")["stdout"], "kept\n")
        finally:
            self.engine.start("--live-restore")
        self.assertEqual(server.execute(session, command="cat note")["stdout"], "kept\n")
        self.until(lambda: len(self.containers()) == 1)  # what could not be removed before is now, without being asked
        self.assertEqual(server.stop(), 0)
        self.until(lambda: not self.containers())

    def test_a_full_disk_of_the_engine(self):
        server = self.serve()
        session = server.session()
        filler = self.engine.folder / "data/filler"
        with open(filler, "wb") as file:
            space = os.statvfs(self.engine.folder / "data")
            os.posix_fallocate(file.fileno(), 0, space.f_bavail * space.f_frsize)
        try:
            status, problem = server.call("POST", "/api/v1/sessions", {}, {"Prefer": "wait"})
            self.assertIn("no space left", json.dumps(problem), status)
            self.assertEqual(server.execute(session, command="echo on")["stdout"], "on\n")
        finally:
            filler.unlink()
        server.session()
        self.assertEqual(server.stop(), 0)
        self.until(lambda: not self.containers())

    def test_an_engine_behind_tls(self):
        folder = pathlib.Path(self.data).parent
        make_certificates(folder)
        port = free_port()
        self.restart_engine("--tlsverify", f"--tlscacert={folder}/ca.pem", f"--tlscert={folder}/server.pem",
                            f"--tlskey={folder}/server-key.pem", "-H", f"tcp://127.0.0.1:{port}")
        self.addCleanup(self.restart_engine)
        words = ("--backend", "docker", "--image", IMAGE, "-q", "--", "echo", "over tls")
        environment = {"DOCKER_HOST": f"tcp://127.0.0.1:{port}", "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": str(folder)}
        outcome = run(*words, env=environment)
        self.assertEqual((outcome.code, outcome.out), (0, "over tls\n"), outcome)
        (folder / "cert.pem").write_bytes((folder / "ca.pem").read_bytes())
        self.assertEqual(run(*words, env=environment).code, 125)


def groups_of(pid):
    """The supplementary groups of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(line.split()[1:] for line in status.splitlines() if line.startswith("Groups:"))


def make_certificates(folder):
    """An authority, an engine and a client of it: ca.pem, server.pem, cert.pem and their keys."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *new_key, "-keyout", "ca-key.pem", "-out", "ca.pem", "-subj", "/CN=test authority", "-days", "2")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    for name, key, extra in (("server", "server-key", ("-extfile", "names")), ("cert", "key", ())):
        openssl("req", *new_key, "-keyout", f"{key}.pem", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial",
                "-out", f"{name}.pem", "-days", "2", *extra)
    for file in folder.glob("*.pem"):
        file.chmod(0o644)  # atoll reads them as another user


if __name__ == "__main__":
    unittest.main()
