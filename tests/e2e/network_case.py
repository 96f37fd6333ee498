"""What tests of networks share: a small internet of the test's own (tests/security/egress_internet.py), with Atoll on
its one machine. Nothing is ever sent anywhere else."""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "security"))

import server
import support
from egress_internet import GOOD, METADATA, OTHER, PRIVATE, RESOLVER, Internet, enter, read_head, web
from egress_tls import Signer, server_context

HOST_ROOTS = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")


def allow(*targets, **more):
    """A policy that allows these; "name:80" is the name on that port."""
    rules = []
    for target in targets:
        name, colon, port = target.rpartition(":")
        rules.append({"action": "allow", "target": name or port, **({"ports": [int(port)]} if colon else {})})
    return {"rules": rules, **more}


def slow_download(connection):
    """An answer without end: a little every 10 ms."""
    read_head(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        connection.sendall(b"x" * 1000)
        time.sleep(0.01)


def egress_processes():
    """Those of atoll-egress on the host of this thread."""
    found, here = [], os.readlink("/proc/thread-self/ns/net")
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                is_one = file.read().split(b"\0")[0].endswith(b"atoll-egress")
            if is_one and os.readlink(f"/proc/{pid}/ns/net") == here:
                found.append(int(pid))
        except OSError:
            pass  # it has ended
    return found


@unittest.skipUnless(support.IS_ROOT, "makes network namespaces")
class NetworkCase(support.Case):
    """This thread, and what it starts, is on the host of the small internet."""

    signer = None  # of the internet's HTTPS servers

    def setUp(self):
        super().setUp()
        self.world = Internet(self)
        own = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.addCleanup(os.close, own)
        self.addCleanup(enter, own)
        enter(self.world.host.fd)

    def serve_web(self, port=80):
        self.world.serve(port, web)
        self.world.serve(port, web, address=OTHER)

    def on_host(self, *words):
        """Words that run these on a host whose resolver is the test's, and which trusts the test's authority."""
        resolv = self.file("resolv.conf", f"nameserver {RESOLVER}\n")
        binds = [(str(resolv), "/etc/resolv.conf")]
        if self.signer is not None:
            bundle = self.file("bundle.crt", HOST_ROOTS.read_text() + self.signer.certificate.read_text())
            binds.append((str(bundle), str(HOST_ROOTS)))
        script = "".join(f"mount --bind {source} {target} && " for source, target in binds) + 'exec "$@"'
        return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", *map(str, words)]

    def serve_tls(self, name, address=GOOD, port=443, handler=web):
        """HTTPS with a certificate for that name."""
        if self.signer is None:
            self.signer = Signer(self.folder, "internet")
        context = server_context(self.signer.issue(name))

        def serve(raw):
            with context.wrap_socket(raw, server_side=True) as connection:
                handler(connection)
        self.world.resolver.names[name] = [address]
        return self.world.serve(port, serve, address=address)

    def server(self, *options, **config):
        """A server that asks the test's resolver."""
        config["network"] = {"resolver": RESOLVER, **config.get("network", {})}
        file = self.file("config.json", json.dumps(config))
        one = NetworkServer(self, str(self.folder / "data"), "--config", str(file), *(options or ("--no-auth",)))
        self.addCleanup(one.end)
        return one

    def run_inside(self, *words, program=support.ATOLL, user=None, **more):
        """`atoll run` on that host."""
        words = [program, "run", *map(str, words)]
        if user is not None:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env", "-i", "PATH=/usr/bin:/bin",
                     "HOME=/", *words]
        done = subprocess.run(self.on_host(*words), capture_output=True, timeout=120, stdin=subprocess.DEVNULL, cwd="/",
                              **more)
        return support.Outcome(done)


class NetworkServer(server.Server):
    def __init__(self, case, *words):
        self.case = case
        super().__init__(*words)

    def launch(self, **environment):
        words = [support.ATOLL, "serve", "--listen", "127.0.0.1:0", "--data", self.data, *self.options]
        self.process = subprocess.Popen(self.case.on_host(*words), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, env={**os.environ, **environment})

    def end(self):
        if self.process.poll() is None:
            self.stop()

    def network(self, session):
        status, body = self.call("GET", f"/api/v1/sessions/{session}/network")
        assert status == 200, body
        return body

    def set_network(self, session, policy):
        return self.call("PUT", f"/api/v1/sessions/{session}/network", policy)

    def fetch(self, session, url, *options):
        """curl inside: its standard output, and its status."""
        words = ["curl", "-sS", "-m", "20", "-w", " %{http_code}", *options, url]
        done = self.execute(session, command=words)
        return done["stdout"] or done["stderr"], done["exit_code"]

    def pool(self, template):
        """What the server's own figures say of a template's pool."""
        text = self.call("GET", "/api/v1/metrics")[1].decode()
        figure = lambda name: sum(float(line.split()[-1]) for line in text.splitlines()
                                  if line.startswith(name + "{") and f'"{template}"' in line)
        return {"ready": figure("warm_pool_size"), "hits": figure("warm_pool_hits_total")}

    def refusals(self, session):
        return [one for one in self.call("GET", "/api/v1/audit?action=network_refused")[1]["audit"]
                if one["session_id"] == session]
