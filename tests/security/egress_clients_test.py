#!/usr/bin/env python3
"""Real programs on connections whose TLS is opened: what they fetch, what they send, how they end.

The instance's authority stands where netless programs look for roots, as in a sandbox: over the bundle of the root file
system, over Java's store, and in the variables of programs that bring roots of their own.

usage: egress_clients_test.py --build DIR
"""
import base64
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import harness
from egress_tls import PLACEHOLDER, VALUE, TlsWorld, digest_of, pattern, wait_until
from egress_world import OTHER, PATIENCE, enter, main

BIG = 200 << 20
ASK = f"Authorization: Bearer {PLACEHOLDER}"

PYTHON = """
import json, os, sys
body = {import_}
print(json.dumps(body))
"""

JAVA = """
import java.net.URI;
import java.net.http.*;
public class Get {
  public static void main(String[] words) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(words[0])).header("Authorization", "Bearer " + System.getenv("TOKEN"));
    System.out.print(HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString()).body());
  }
}
"""

NODE = """
const answer = await fetch('https://good.test/', {headers: {Authorization: `Bearer ${process.env.TOKEN}`}});
console.log(await answer.text());
"""

NODE_HTTP2 = """
import http2 from 'node:http2';
const client = http2.connect('https://good.test');
client.request({':path': '/'}).on('response', () => process.exit(0));
"""


class Programs(TlsWorld):
    def setUp(self):
        super().setUp()
        self.good = self.site()
        self.box = self.secret_box()
        folder = Path(self.folder)
        self.bundle = folder / "bundle.pem"
        self.bundle.write_text(self.instance.certificate.read_text())
        self.java_store = folder / "cacerts"
        self.java_store.write_bytes(subprocess.run(
            [f"{self.BUILD}/security-cases/java-trust-store"], stdin=self.bundle.open(), check=True, capture_output=True,
            timeout=PATIENCE).stdout)
        (folder / "resolv.conf").write_text("nameserver 198.18.0.53\n")

    def command(self, *words):
        """With the files and variables that a sandbox has."""
        folder = self.folder
        binds = [(f"{folder}/bundle.pem", "/etc/ssl/certs/ca-certificates.crt"), (f"{folder}/resolv.conf", "/etc/resolv.conf")]
        if os.path.exists("/etc/ssl/certs/java/cacerts"):
            binds.append((f"{folder}/cacerts", "/etc/ssl/certs/java/cacerts"))
        script = "".join(f"mount --bind {source} {target} && " for source, target in binds) + 'exec "$@"'
        return ["unshare", "-m", "sh", "-c", script, "sh", *words]

    def environment(self):
        bundle = f"{self.folder}/bundle.pem"
        roots = {name: bundle for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT",
                                           "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "NODE_EXTRA_CA_CERTS")}
        return {"PATH": os.environ["PATH"], "HOME": self.folder, "TOKEN": PLACEHOLDER, "LANG": "C.UTF-8", **roots}

    def start_program(self, *words, **options):
        process = subprocess.Popen(self.command(*words), env=self.environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.PIPE if "input" in options else subprocess.DEVNULL,
                                   preexec_fn=lambda: enter(self.box.netns.fd))
        self.addCleanup(process.kill)
        return process

    def run_program(self, *words, code=0):
        process = self.start_program(*words)
        out, err = process.communicate(timeout=4 * PATIENCE)
        self.assertEqual(process.returncode, code, err.decode(errors="replace"))
        return out

    def got_value(self, out):
        """The site got the value, and the program its answer."""
        self.assertIn(["Authorization", f"Bearer {VALUE}"],
                      [[name.title(), value] for name, value in json.loads(out)["fields"]])

    # ---- one fetch each

    def test_curl(self):
        self.got_value(self.run_program("curl", "-sS", "--fail", "-H", ASK, "https://good.test/"))
        self.got_value(self.run_program("curl", "-sS", "--fail", "--http2", "-H", ASK, "https://good.test/"))

    def test_curl_follows_redirects_by_itself(self):
        """The relay follows none: the next host is the client's to ask for, and for the policy to allow."""
        other = self.site("other.test", OTHER)
        out = self.run_program("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "https://good.test/away")
        self.assertEqual(out, b"302")
        self.assertEqual(other.requests, [])

    def test_wget(self):
        self.got_value(self.run_program("wget", "-qO-", f"--header={ASK}", "https://good.test/"))

    def test_python_urllib(self):
        self.python("""(lambda u: json.load(u.urlopen(u.Request('https://good.test/',
            headers={'Authorization': 'Bearer ' + os.environ['TOKEN']}))))(__import__('urllib.request').request)""")

    def test_python_requests(self):
        self.python("""__import__('requests').get('https://good.test/',
            headers={'Authorization': 'Bearer ' + os.environ['TOKEN']}, timeout=30).json()""")

    def test_python_httpx(self):
        self.python("""__import__('httpx').get('https://good.test/', timeout=30,
            headers={'Authorization': 'Bearer ' + os.environ['TOKEN']}).json()""")

    def python(self, expression):
        self.got_value(self.run_program("/usr/bin/python3", "-c", PYTHON.replace("{import_}", expression)))

    def test_node(self):
        self.got_value(self.run_program("node", "--input-type=module", "-e", NODE))

    def test_44_node_http2(self):
        process = self.start_program("node", "--input-type=module", "-e", NODE_HTTP2)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"NO_APPLICATION_PROTOCOL", err)
        self.control.wait_for(name="good.test", port=443, reason="only_http1")

    def test_java(self):
        source = Path(self.folder) / "Get.java"
        source.write_text(JAVA)
        self.got_value(self.run_program("java", str(source), "https://good.test/"))

    def test_git(self):
        """A clone over https, with the password in Basic."""
        git = GitServer(self)
        self.site_for(git)
        basic = base64.b64encode(f"user:{VALUE}".encode()).decode()
        self.run_program("git", "clone", "-q", f"https://user:{PLACEHOLDER}@good.test:8443/repository", f"{self.folder}/clone")
        self.assertEqual((Path(self.folder) / "clone/file").read_text(), "text\n")
        self.assertIn(f"Basic {basic}", git.seen)
        self.assertNotIn(VALUE, (Path(self.folder) / "clone/.git/config").read_text())

    def site_for(self, git):
        self.good_git = self.site(port=8443)
        self.good_git.answer = git.answer

    # ---- bodies

    def test_34_big_downloads(self):
        for path in ("big", "chunks"):
            process = self.start_program("curl", "-sS", "--fail", f"https://good.test/{path}?{BIG}")
            digest = hashlib.sha256()
            while data := process.stdout.read(1 << 20):
                digest.update(data)
            self.assertEqual(process.wait(PATIENCE), 0, process.stderr.read())
            self.assertEqual(digest.hexdigest(), digest_of(BIG), path)
        self.is_small()

    def test_34_big_uploads(self):
        path = Path(self.folder) / "big"
        with path.open("wb") as file:
            for piece in pattern(BIG):
                file.write(piece)
        for framing in ("X-Length: known", "Transfer-Encoding: chunked"):
            out = json.loads(self.run_program("curl", "-sS", "--fail", "-X", "POST", "-H", framing, "-H", "Expect: 100-continue",
                                              "-H", ASK, "-T", str(path), "https://good.test/up"))
            self.assertEqual((out["size"], out["sha256"]), (BIG, digest_of(BIG)), framing)
        path.unlink()
        self.is_small()

    def is_small(self):
        resident = int(harness.status_of(self.egress.worker())["VmRSS"].split()[0])
        self.assertLess(resident, 64 << 10)  # KiB

    def test_events_come_one_by_one(self):
        self.good.next_event = threading.Event()
        process = self.start_program("curl", "-sSN", "https://good.test/events")
        for number in range(3):
            self.assertEqual(process.stdout.readline(), b"data: %d\n" % number)
            process.stdout.readline()
            self.good.next_event.set()
        self.assertEqual(process.stdout.read(), b"")
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_two_requests_on_a_connection(self):
        self.run_program("curl", "-sS", "--fail", "-H", ASK, "https://good.test/", "https://good.test/")
        self.assertEqual([request.get("authorization") for request in self.good.requests], [f"Bearer {VALUE}"] * 2)
        self.assertEqual(self.good.server.connections, 1)

    def test_web_socket(self):
        connection = self.secure(self.box)
        connection.sendall(f"GET /chat HTTP/1.1\r\nHost: good.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                           f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{ASK}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        self.assertTrue(head.startswith(b"HTTP/1.1 101 "), head)
        for _ in range(3):  # frames pass both ways, and nothing in them is looked at
            frame = b"\x81\x85mask" + os.urandom(3) + PLACEHOLDER.encode() + b"\n\n"
            connection.sendall(frame)
            back = b""
            while len(back) < len(frame):
                back += connection.recv(4096)
            self.assertEqual(back, frame)
        connection.close()
        self.assertEqual(self.good.requests[-1].get("authorization"), f"Bearer {VALUE}")

    # ---- ends

    def held(self):
        return len(os.listdir(f"/proc/{self.egress.worker()}/fd"))

    def is_idle(self):
        return not self.control.ask(figures={"sandbox": "box"})["figures"]["connections"]

    def test_a_killed_client_leaves_nothing(self):
        self.run_program("curl", "-sS", "--fail", "https://good.test/")
        wait_until(self.is_idle, "the first connection ends")
        before = self.held()
        for words in ((f"https://good.test/big?{BIG}",), ("-T", "/dev/zero", "https://good.test/up")):
            for _ in range(5):
                process = self.start_program("curl", "-sS", "-o", "/dev/null", *words)
                wait_until(lambda: not self.is_idle(), "it is connected")
                figures = self.control.ask(figures={"sandbox": "box"})["figures"]
                wait_until(lambda: self.moved(figures), "bytes move")
                process.send_signal(signal.SIGKILL)
                process.wait()
                process.stdout.close()
                process.stderr.close()
                wait_until(self.is_idle, "the connection ends")
        self.assertEqual(self.held(), before)

    def moved(self, figures):
        now = self.control.ask(figures={"sandbox": "box"})["figures"]
        return now["rx_bytes"] + now["tx_bytes"] > figures["rx_bytes"] + figures["tx_bytes"] + (1 << 20)

    def test_a_reader_that_stops_costs_little(self):
        connections = [self.secure(self.box) for _ in range(20)]
        for one in connections:
            one.sendall(f"GET /big?{BIG} HTTP/1.1\r\nHost: good.test\r\n\r\n".encode())
            one.recv(1)
        last, seen = -1, 0
        while last != seen:  # until nothing moves any more
            last = seen
            time.sleep(0.5)
            seen = self.control.ask(figures={"sandbox": "box"})["figures"]["rx_bytes"]
        self.is_small()
        for one in connections:
            one.close()

    def test_many_at_once(self):
        """Fifty clients, each with its own connection, while one uploads without end."""
        upload = self.start_program("curl", "-sS", "-o", "/dev/null", "-T", "/dev/zero", "https://good.test/up")
        failures = []

        def fetch():
            with contextlib.suppress(OSError):
                if self.get(self.box, ASK)[0] == 200:
                    return
            failures.append(1)
        threads = [threading.Thread(target=fetch) for _ in range(50)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(failures, [])
        upload.kill()
        upload.communicate()


class GitServer:
    """git's own server program behind HTTPS."""

    def __init__(self, case):
        folder = Path(case.folder) / "git"
        folder.mkdir()
        self.root, self.seen = folder, []
        environment = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a.test", "GIT_COMMITTER_NAME": "a",
                       "GIT_COMMITTER_EMAIL": "a@a.test", "GIT_CONFIG_GLOBAL": "/dev/null"}
        work = folder / "work"
        for words in (("init", "-q", "-b", "main", str(work)), ("-C", str(work), "add", "."),
                      ("-C", str(work), "commit", "-q", "-m", "one"),
                      ("clone", "-q", "--bare", str(work), str(folder / "repository"))):
            if words[0] == "-C" and words[2] == "add":
                (work / "file").write_text("text\n")
            subprocess.run(["git", *words], check=True, env=environment, timeout=PATIENCE)

    def answer(self, connection, stream, request):
        self.seen.append(request.get("authorization"))
        if not request.get("authorization"):
            connection.sendall(b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n')
            return True
        path, _, query = request.target.partition("?")
        environment = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1",
                       "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": request.method,
                       "CONTENT_TYPE": request.get("content-type"), "REMOTE_USER": "user", "GIT_CONFIG_COUNT": "1",
                       "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
                       "HTTP_CONTENT_ENCODING": request.get("content-encoding"), "GIT_PROTOCOL": request.get("git-protocol")}
        out = subprocess.run(["git", "http-backend"], input=request.start, env=environment, capture_output=True,
                             timeout=PATIENCE).stdout
        head, _, body = out.partition(b"\r\n\r\n")
        connection.sendall(b"HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %d\r\n\r\n%s" % (head, len(body), body))
        return True


if __name__ == "__main__":
    main()
