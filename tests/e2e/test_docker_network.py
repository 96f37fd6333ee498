"""Sessions with a network in containers: the same policies as on native, and nothing for programs to get hold of."""
import json
import os
import signal
import subprocess
import unittest

from docker_case import IMAGE, Dockerd
from network_case import GOOD, METADATA, PRIVATE, NetworkCase, allow
from server import until
from test_network_life import relays

# The status that a request got, or what became of it.
FETCH = """import sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1], headers=dict(one.split("=", 1) for one in sys.argv[2:]))
try:
    with urllib.request.urlopen(request, timeout=60) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except (urllib.error.URLError, OSError) as error:
    reason = getattr(error, "reason", error)
    print(getattr(reason, "errno", None) or reason)
"""
UNREACHABLE, RESET = "101\n", "104\n"
# Ways to change the network that the policy filters: what became of each.
CHANGE = """import errno, socket, struct
def tried(call, *words):
    try:
        call(*words)
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
def route(kind, flags, body):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.send(struct.pack("IHHII", 16 + len(body), kind, flags | 5, 1, 0) + body)  # REQUEST, ACK
        code = struct.unpack("i", link.recv(4096)[16:20])[0]
        if code:
            raise OSError(-code, "refused")
def transparent():
    socket.socket().setsockopt(socket.SOL_IP, 19, 1)  # IP_TRANSPARENT
up = struct.pack("BxHiII", 0, 0, 1, 1, 1)
address = struct.pack("BBBBI", socket.AF_INET, 32, 0, 0, 1) + struct.pack("HH4s", 8, 2, bytes([10, 1, 2, 3]))
print(tried(route, 16, 0, up), tried(route, 20, 0x400, address), tried(transparent))
"""


class DockerNetwork(NetworkCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = cls.enterClassContext(Dockerd())

    def setUp(self):
        super().setUp()
        self.serve_web()

    def docker(self, **config):
        own = {"host": f"unix://{self.engine.socket}", "image": IMAGE, **config.pop("docker", {})}
        return self.server(sandbox={"enabled": True, "backend": "docker", "mode": "per-session", "backends": {"docker": own}},
                           pool={"size": 0}, **config)

    def fetch(self, server, session, url, *headers):
        return server.execute(session, command=["python3", "-c", FETCH, url, *headers])["stdout"]

    def make(self, server, **config):
        status, body = server.call("POST", "/api/v1/sessions", {"template_id": "shell-default", "config": config},
                                   {"Prefer": "wait"})
        self.assertEqual(status, 201, body)
        return body

    def containers(self):
        return [one["Names"][0] for one in json.loads(self.engine.call("GET", "/containers/json?all=1")[1])]

    def test_allowed_names_and_no_others(self):
        server = self.docker()
        made = self.make(server, network=allow("good.test:80"))
        self.assertIn("egress_filtered", made["isolation"]["layers"])
        self.assertIn("network_namespace", made["isolation"]["layers"])
        session = made["id"]
        self.assertEqual(self.fetch(server, session, "http://good.test/"), "200 GET / HTTP/1.1 host=good.test upgrade=None\n")
        denied = self.fetch(server, session, "http://other.test/")
        self.assertTrue(denied.startswith("403 "), denied)
        self.assertIn("other.test", denied)
        self.assertEqual(self.fetch(server, session, f"http://{GOOD}/"), RESET)
        self.assertNotIn("200", self.fetch(server, session, "http://good.test:8080/")[:3])
        told = until(lambda: len(server.refusals(session)) >= 3 and server.refusals(session), "refusals in the audit")
        self.assertIn("other.test:80 name_denied", [one["detail"] for one in told])
        self.assertGreater(server.network(session)["figures"]["rx_bytes"], 50)
        until(lambda: len(self.containers()) == 1, "no container but the session's")
        without_walls = subprocess.run(["unshare", "-n", "python3", "-c", CHANGE], capture_output=True, text=True, check=True)
        self.assertEqual(without_walls.stdout, "done done done\n")
        changes = server.execute(session, command=["python3", "-c", CHANGE])
        self.assertEqual(changes["stdout"], "EPERM EPERM EPERM\n", changes)
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        until(lambda: self.containers() == [], "no container")

    def test_lists_of_a_template(self):
        server = self.docker()
        template = {"id": "list", "language": "bash", "security": {"allowed_domains": ["good.test"]}}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        session = server.session(template_id="list")
        self.assertTrue(self.fetch(server, session, "http://good.test/").startswith("200 "))
        self.assertTrue(self.fetch(server, session, "http://other.test/").startswith("403 "))

    def test_everything_public_and_nothing_private(self):
        self.world.serve(80, address=PRIVATE)
        server = self.docker()
        session = self.make(server, network={"default": "allow"})["id"]
        for url in ("http://good.test/", "http://other.test/", f"http://{GOOD}/"):
            self.assertTrue(self.fetch(server, session, url).startswith("200 "), url)
        for url in ("http://private.test/", "http://meta.test/", "http://own.test/"):
            self.assertTrue(self.fetch(server, session, url).startswith("403 "), url)
        for url in (f"http://{PRIVATE}/", f"http://{METADATA}/"):
            self.assertEqual(self.fetch(server, session, url), RESET, url)

    def test_a_live_session_is_changed(self):
        server = self.docker()
        made = self.make(server)
        session = made["id"]
        self.assertNotIn("egress_filtered", made["isolation"]["layers"])
        self.assertEqual(self.fetch(server, session, f"http://{GOOD}/"), UNREACHABLE)
        self.assertEqual(server.set_network(session, allow("good.test"))[0], 200)
        self.assertTrue(self.fetch(server, session, "http://good.test/").startswith("200 "))
        self.assertEqual(server.set_network(session, allow("other.test"))[0], 200)
        self.assertTrue(self.fetch(server, session, "http://good.test/").startswith("403 "))
        self.assertTrue(self.fetch(server, session, "http://other.test/").startswith("200 "))

    def test_it_outlives_the_server_and_egress(self):
        server = self.docker()
        session = self.make(server, network=allow("good.test"))["id"]
        server.kill()
        server.start()
        until(lambda: self.fetch(server, session, "http://good.test/").startswith("200 "), "the network after a restart")
        body = server.call("GET", f"/api/v1/sessions/{session}")[1]
        self.assertIn("egress_filtered", body["isolation"]["layers"])
        for pid in relays(server):
            os.kill(pid, signal.SIGKILL)  # its worker dies with it
        until(lambda: self.fetch(server, session, "http://good.test/").startswith("200 "), "the network after a crash of egress")
        self.assertTrue(self.fetch(server, session, "http://other.test/").startswith("403 "))

    def test_secrets_stay_outside(self):
        def echo(connection):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4096)
            said = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"authorization:"))
            body = said.split(b" ")[-1][::-1]  # backwards, so that nobody replaces it on its way back
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        self.serve_tls("good.test", handler=echo)
        server = self.docker()
        self.assertIn(server.call("PUT", "/api/v1/secrets/token", {"value": "tok-docker"})[0], (200, 201, 204))
        policy = allow("good.test", secrets=[{"env": "TOKEN", "secret": "token", "hosts": ["good.test"]}])
        session = self.make(server, network=policy)["id"]
        inside = server.execute(session, command="echo $TOKEN")["stdout"].strip()
        self.assertRegex(inside, r"^atoll_secret_[0-9a-f]{32}$")
        self.assertEqual(self.fetch(server, session, "https://good.test/", f"Authorization=Bearer {inside}"), "200 rekcod-kot\n")

    def test_of_one_command(self):
        words = ["--backend", "docker", "--image", IMAGE, "-q", "--allow-net", "good.test:80", "--", "python3", "-c", FETCH]
        environment = {**os.environ, "DOCKER_HOST": f"unix://{self.engine.socket}"}
        for url, answer in (("http://good.test/", "200 "), ("http://other.test/", "403 ")):
            ran = self.run_inside(*words, url, env=environment)
            self.assertTrue(ran.out.startswith(answer), (ran.out, ran.err))
        until(lambda: self.containers() == [], "no container")

    def test_in_a_named_network_no_rules_hold(self):
        """So policies with rules are refused, for new sessions and for those that live."""
        self.assertEqual(self.engine.call("POST", "/networks/create", {"Name": "atoll-rules", "Internal": True})[0], 201)
        server = self.docker(docker={"networkMode": "atoll-rules"})
        create = lambda policy: server.call("POST", "/api/v1/sessions", {"template_id": "shell-default",
                                                                         "config": {"network": policy}}, {"Prefer": "wait"})
        for policy in (allow("good.test"), {"default": "allow", "rules": [{"action": "deny", "target": "bad.test"}]}):
            status, refused = create(policy)
            self.assertEqual((status, refused["code"]), (422, "policy_unsupported"), refused)
        open_one, closed = create({"default": "allow"})[1], create({"default": "deny"})[1]
        for made, devices in ((open_one, "eth0\nlo\n"), (closed, "lo\n")):
            self.assertEqual(server.execute(made["id"], command="ls /sys/class/net")["stdout"], devices)
            for policy in ({"default": "allow"}, allow("good.test")):
                status, refused = server.set_network(made["id"], policy)
                self.assertEqual((status, refused["code"]), (422, "policy_unsupported"), refused)
        self.assertEqual(server.set_network(open_one["id"], {})[0], 422)  # it cannot leave that network


if __name__ == "__main__":
    unittest.main()
