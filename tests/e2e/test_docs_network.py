"""Runs every command of docs/network.md, on a small internet with the hosts that it names."""
import json
import os
import pathlib
import re
import subprocess
import unittest

import support
from network_case import OTHER, NetworkCase, read_head
from test_docs import ROOT, blocks


class Page(NetworkCase):
    # covers: atoll secret, atoll network
    def test_network(self):
        self.serve_names("api.example.com", "www.example.org")
        self.world.resolver.names["other.example.net"] = [OTHER]
        page = (ROOT / "docs/network.md").read_text()
        server = self.server("--set", "log.level=warn", **self.presets_of(page))
        made = support.atoll("key", "create", "--data", server.data, "--role", "admin")
        self.assertEqual(made.code, 0, made)
        env = dict(os.environ, PATH=f"{pathlib.Path(support.ATOLL).parent}:{os.environ['PATH']}", NO_COLOR="1",
                   ATOLL_SERVER=server.base, ATOLL_KEY=made.out.strip())
        pairs = blocks(page)
        self.assertGreater(len(pairs), 8)
        for commands, printed in pairs:
            with self.subTest(commands=commands):
                run = subprocess.run(self.on_host("bash", "-c", commands), cwd=self.folder, env=env, text=True, timeout=120,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(run.stdout, printed if printed is not None else run.stdout)
                if printed is None:
                    self.assertEqual(run.returncode, 0, run.stdout)

    def serve_names(self, *names):
        for name, address in zip(names, (None, OTHER)):
            def answer(connection, name=name):
                head, _ = read_head(connection)
                line = f"hello from {name}\n"
                if "/whoami" in head.split("\r\n")[0]:
                    line = "".join(f"{field}\n" for field in head.split("\r\n") if field.startswith("Authorization: "))
                connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                                   % (len(line), line.encode()))
            self.serve_tls(name, handler=answer, **({"address": address} if address else {}))

    def presets_of(self, page):
        (found,) = [text for text in re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
                    if "presets" in text]
        return json.loads(found)


if __name__ == "__main__":
    unittest.main()
