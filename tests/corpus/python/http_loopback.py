"""A web server and its client in one process on the loopback device."""
import http.server
import json
import threading
import urllib.error
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200 if self.path.startswith("/ok") else 404, {"path": self.path})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(201, {"sum": sum(body)})

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, args=(0.01,)).start()
base = f"http://127.0.0.1:{server.server_port}"
with urllib.request.urlopen(base + "/ok?q=1") as answer:
    print(answer.status, answer.headers["Content-Type"], json.load(answer))
with urllib.request.urlopen(urllib.request.Request(base + "/add", data=b"[1, 2, 39]")) as answer:
    print(answer.status, answer.read())
try:
    urllib.request.urlopen(base + "/missing")
except urllib.error.HTTPError as error:
    print(error.code, error.reason, json.load(error))
server.shutdown()
server.server_close()
