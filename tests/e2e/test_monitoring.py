"""deploy/monitoring against the real Prometheus and a real server."""
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import support
from server import Server, until

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "deploy/monitoring"
NOT_FIGURES = {"up", "sum", "by", "rate", "increase", "histogram_quantile"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def expressions():
    board = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    yield from (target["expr"] for panel in board["panels"] for target in panel["targets"])
    yield from re.findall(r"(?m)^ +expr: (.*)$", (FOLDER / "alerts.yml").read_text())


def figures(expression):
    plain = re.sub(r"\{[^}]*\}|\[[^]]*\]|by \([^)]*\)", "", expression)
    return {word for word in re.findall(r"[a-z_]{3,}", plain)} - NOT_FIGURES


class Monitoring(support.Case):
    def promtool(self, *words):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=60, cwd=FOLDER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules(self):
        self.promtool("check", "rules", "alerts.yml")
        self.promtool("test", "rules", "alerts_test.yml")

    def test_prometheus_takes_it(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="atoll-monitoring-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        server = Server(f"{folder}/data")
        self.addCleanup(server.stop)
        key = support.atoll("key", "create", "--data", server.data, "--role", "read-only").out.strip()
        owner = support.atoll("key", "create", "--data", server.data, "--role", "owner").out.strip()
        ran = server.call("POST", "/api/v1/run", {"template_id": "shell-default", "command": "true"}, {"X-API-Key": owner})
        self.assertEqual(ran[0], 200, ran)
        for file in ("alerts.yml", "prometheus.yml"):
            text = (FOLDER / file).read_text()
            text = text.replace("127.0.0.1:8080", server.base.removeprefix("http://")).replace("15s", "1s")
            (folder / file).write_text(text)
        (folder / "atoll.key").write_text(key)
        port = free_port()
        process = subprocess.Popen(
            ["prometheus", "--config.file", f"{folder}/prometheus.yml", "--storage.tsdb.path", f"{folder}/tsdb",
             "--web.listen-address", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait()))

        def ask(path):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
                return json.load(answer)["data"]

        def known():
            try:
                return set(ask("/api/v1/label/__name__/values"))
            except OSError:
                return set()

        until(lambda: "execution_duration_seconds_bucket" in known(), "a scrape of the server")
        alerts = ask("/api/v1/rules")["groups"][0]["rules"]
        self.assertEqual(len(alerts), (FOLDER / "alerts.yml").read_text().count("- alert:"))
        # Series that begin with their first event are not there yet.
        late = {"background_task_failures_total", "executions_errors_total"}
        names = known()
        for expression in expressions():
            self.assertLessEqual(figures(expression) - late, names, expression)
            ask("/api/v1/query?query=" + urllib.parse.quote(expression.replace("$instance", ".*")))


if __name__ == "__main__":
    unittest.main()
