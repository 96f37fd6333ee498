"""Stands in for execd, the agent that OpenSandbox puts into its sandboxes, in tests of the OpenSandbox backend.

Speaks the published interface of execd and nothing else: a path, method, parameter or field that the interface does
not have is refused, and so is a value of the wrong type. Sessions and code answer 501. Runs inside the sandbox on port
44772, with the standard library only. with_opensandbox.py puts it in, or a real one where ATOLL_TEST_EXECD names it.
"""
import http.server
import json
import re
import urllib.parse

from commands import Commands
from files import Files
from interface import Refused, bad, check_fields, check_parameters, find_operation

PORT = 44772


class Handler(Commands, Files, http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer()

    do_POST = do_DELETE = do_PUT = do_PATCH = do_GET

    def answer(self):
        url = urllib.parse.urlsplit(re.sub(f"^/proxy/{PORT}/", "/", self.path))  # the agent reaches itself, too
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True, errors="surrogateescape")
        body = self.read_body()
        try:
            if url.path.startswith(("/session", "/code")):
                raise Refused(501, "NOT_SUPPORTED", "not in this stand-in")
            pattern, self.named, (parameters, fields) = find_operation(self.command, url.path)
            check_parameters(query, parameters)
            name = f"on_{self.command.lower()}" + re.sub(r"[^a-z]+", "_", pattern.replace("{id}", "one"))
            if fields is None:
                return getattr(self, name)(query, body)
            if self.headers.get_content_type() != "application/json":
                raise bad("the body is no JSON")
            try:
                document = json.loads(body)
            except ValueError:
                raise bad("the body is no JSON") from None
            if fields:
                check_fields(document, fields)
            return getattr(self, name)(query, document)
        except Refused as refused:
            self.send(refused.status, {"code": refused.code, "message": str(refused)})
        except FileNotFoundError as error:
            self.send(404, {"code": "FILE_NOT_FOUND", "message": f"file not found. {error}"})
        except OSError as error:
            self.send(500, {"code": "RUNTIME_ERROR", "message": str(error)})

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def send(self, status, document=None):
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def on_get_ping(self, *_):
        self.send(200)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256  # all that tests ask for at once


if __name__ == "__main__":
    Server(("0.0.0.0", PORT), Handler).serve_forever()
