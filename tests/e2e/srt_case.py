"""What the tests of the srt backend share: a server with a policy, and a network of two names on loopback."""
import http.server
import json
import os
import pathlib
import threading
import urllib.request

import support
from server import Server


class Names(http.server.ThreadingHTTPServer):
    """A proxy that knows names which nobody else does, and answers for all of them itself."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                body = f"this is {self.headers['Host']}".encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def fetch(self, url):
        """As from the host: through this proxy and no other."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.address}))
        with opener.open(url, timeout=60) as answer:
            return answer.read().decode()


def processes_of(folder):
    """Every process that carries the folder, or something below it, in its environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = pathlib.Path("/proc", pid, "environ").read_bytes()
        except OSError:
            continue
        if f"ATOLL_SRT_SANDBOX={folder}".encode() in environment:
            found.append(int(pid))
    return found


class SrtCase(support.Case):
    def serve(self, sandbox=None, settings=None, data="data", pool=0):
        """A server whose default backend is srt; `settings`: what its sandboxes start from."""
        base = self.file("srt.json", settings if isinstance(settings, str) else json.dumps(settings)) if settings else ""
        config = {"sandbox": {"enabled": True, "backend": "srt", "mode": "per-session", **(sandbox or {}),
                              "backends": {"srt": {"settingsPath": str(base or self.folder / "none.json")}}},
                  "pool": {"size": pool}}
        self.config = self.file("atoll.json", json.dumps(config))
        self.data = self.folder / data
        server = Server(str(self.data), "--config", str(self.config), "--no-auth")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    @property
    def sandboxes(self):
        return self.data / "sandboxes" / "srt"

    def shell(self, server, session, command):
        """(exit code, what it wrote)"""
        done = server.execute(session, command=command)
        return done["exit_code"], done["output"]
