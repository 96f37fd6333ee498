"""The operator's limits and proxy, as sessions of a server see them."""
import unittest

from network_case import NetworkCase, allow, read_head
from server import until

HOLD_4 = """import socket, time
held = [socket.create_connection(("good.test", 82)) for _ in range(4)]
for one in held:
    one.sendall(b"x")
    assert one.recv(1) == b"x"
print("held", flush=True)
time.sleep(600)
"""


def pour(connection):
    read_head(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 3_000_000)


class Limits(NetworkCase):
    def setUp(self):
        super().setUp()
        self.serve_web()

    def new(self, server):
        return server.session(template_id="shell-default", config={"network": allow("good.test")})

    def test_bytes_of_a_session(self):
        self.world.serve(81, pour)
        server = self.server(network={"limits": {"bytes": 5_000_000}})
        session, other = self.new(server), self.new(server)
        fetch = lambda: server.fetch(session, "http://good.test:81/", "-o", "/dev/null")
        self.assertEqual(fetch()[1], 0)
        self.assertNotEqual(fetch()[1], 0)
        answer, _ = server.fetch(session, "http://good.test/")
        self.assertTrue(answer.endswith(" 403"), answer)
        until(lambda: "bytes_used_up" in [one["reason"] for one in server.network(session)["figures"]["refused"]],
              "the refusal in the figures")
        self.assertEqual(server.fetch(other, "http://good.test/")[1], 0)

    def test_connections_of_a_tenant(self):
        self.world.serve(82)
        server = self.server(network={"limits": {"tenant_connections": 4}})
        first, second = self.new(server), self.new(server)
        self.assertEqual(server.fetch(second, "http://good.test/")[1], 0)
        self.assertEqual(server.call("POST", f"/api/v1/sessions/{first}/execute", {"command": ["python3", "-c", HOLD_4]})[0],
                         202)
        until(lambda: server.network(first)["figures"]["connections"] == 4, "four connections")
        # It is connected and not served: curl's own time ends it.
        self.assertEqual(server.fetch(second, "http://good.test/", "-m", "1")[1], 28)
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{first}")[0], 204)
        self.assertEqual(server.fetch(second, "http://good.test/")[1], 0)


if __name__ == "__main__":
    unittest.main()
