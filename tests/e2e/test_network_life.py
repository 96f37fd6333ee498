"""Networks and the end of things: of servers, of atoll-egress, of sessions."""
import os
import signal
import threading
import time
import unittest

from network_case import NetworkCase, allow, egress_processes, slow_download
from server import until

CONNECT_100 = """import socket, sys, time
held = []
for _ in range(100):
    held.append(socket.create_connection(("good.test", 82)))
    held[-1].sendall(b"x")
    assert held[-1].recv(1) == b"x"
print(len(held), flush=True)
time.sleep(600)
"""
# One line for each second attempt; "refused" when nobody listens. Never hangs: the time-out is an error.
TRY = """import socket, sys
try:
    with socket.create_connection(("198.18.0.16", 82), 20) as one:
        one.sendall(b"x")
        print(one.recv(1).decode())
except ConnectionError as error:
    print(type(error).__name__)
"""


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(child) for child in file.read().split()]


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def relays(server):
    """Processes that start workers, on the host of this thread. The one that starts those is the server's child."""
    found = egress_processes()
    parents = []
    for pid in found:
        try:
            if parent_of(pid) != server.process.pid and set(children_of(pid)) & set(found):
                parents.append(pid)
        except OSError:
            pass  # it has ended meanwhile
    return parents


class Life(NetworkCase):
    def setUp(self):
        super().setUp()
        self.serve_web()
        self.world.serve(81, slow_download)
        self.world.serve(82)
        self.one = self.server()
        self.session = self.one.session(template_id="shell-default", config={"network": allow("good.test"),
                                                                             "timeout_seconds": 1200})
        self.assertFetches()

    def assertFetches(self):
        self.assertEqual(self.one.fetch(self.session, "http://good.test/")[1], 0)
        self.assertTrue(self.one.fetch(self.session, "http://other.test/")[0].endswith(" 403"))

    def works_again(self):
        until(lambda: self.one.fetch(self.session, "http://good.test/")[1] == 0, "the network is back")
        self.assertTrue(self.one.fetch(self.session, "http://other.test/")[0].endswith(" 403"))

    def relay(self):
        """(the process that starts workers, its worker)"""
        parents = until(lambda: relays(self.one), "a relay")
        return parents[0], until(lambda: children_of(parents[0]), "its worker")[0]

    def test_a_killed_server(self):
        """Connections go on without it, and the next one finds them."""
        parent, worker = self.relay()
        status, execution = self.one.call("POST", f"/api/v1/sessions/{self.session}/execute", {"command": [
            "sh", "-c", "curl -sN http://good.test:81/ | head -c 3000000 | wc -c > /tmp/size &"]})
        self.assertIn(status, (200, 202), execution)
        until(lambda: self.one.network(self.session)["figures"]["open"], "a connection")
        self.one.kill()
        self.one.start()
        self.assertEqual(self.relay(), (parent, worker))
        self.assertFetches()
        figures = self.one.network(self.session)["figures"]
        self.assertGreater(figures["rx_bytes"], 0)
        self.assertEqual(self.one.set_network(self.session, {})[0], 200)
        self.assertTrue(self.one.fetch(self.session, "http://good.test/")[0].endswith(" 403"))

    def test_sessions_that_nobody_knows_are_detached(self):
        other = self.one.session(template_id="shell-default", config={"network": allow("good.test")})
        self.one.kill()
        os.rename(f"{self.one.data}/atoll.db", f"{self.one.data}/gone.db")
        for end in ("-wal", "-shm"):
            if os.path.exists(f"{self.one.data}/atoll.db{end}"):
                os.unlink(f"{self.one.data}/atoll.db{end}")
        self.one.start()
        self.assertEqual(self.one.call("GET", f"/api/v1/sessions/{other}")[0], 404)
        worker = self.relay()[1]
        until(lambda: len(os.listdir(f"/proc/{worker}/fd")) < 16, "no sockets of sandboxes are left in the relay")

    def test_a_killed_worker(self):
        for _ in range(3):
            _, worker = self.relay()
            os.kill(worker, signal.SIGKILL)
            self.works_again()

    def test_a_killed_relay(self):
        """Both processes: the starter starts another one, as its own user."""
        parent, worker = self.relay()
        os.kill(parent, signal.SIGKILL)  # its worker dies with it
        self.works_again()
        self.assertNotEqual(self.relay()[0], parent)
        for pid in self.relay():
            self.assertEqual(os.stat(f"/proc/{pid}").st_uid in (0, 0x5ffc0000), True)
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                self.assertIn(f"Uid:\t{0x5ffc0000}\t", file.read())

    def test_killed_under_load(self):
        """Programs that connect all the time see refusals or resets, and never hang."""
        results = []

        def connect():
            for _ in range(10):
                done = self.one.execute(self.session, command=["python3", "-c", TRY])
                results.append(done["stdout"].strip())
        threads = [threading.Thread(target=connect) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            parent, worker = self.relay()
            os.kill(worker, signal.SIGKILL)
            os.kill(parent, signal.SIGKILL)
            self.works_again()
        for thread in threads:
            thread.join()
        self.assertEqual(set(results) - {"x", "ConnectionRefusedError", "ConnectionResetError", ""}, set())
        self.works_again()

    def test_server_and_relay_killed(self):
        parent, _ = self.relay()
        self.one.kill()
        os.kill(parent, signal.SIGKILL)
        self.one.start()
        self.works_again()

    def test_an_end_with_100_connections(self):
        worker = self.relay()[1]
        before = len(os.listdir(f"/proc/{worker}/fd"))
        session = self.one.session(template_id="shell-default", config={"network": allow("good.test")})
        status, execution = self.one.call("POST", f"/api/v1/sessions/{session}/execute",
                                          {"command": ["python3", "-c", CONNECT_100]})
        self.assertEqual(status, 202, execution)
        until(lambda: self.one.network(session)["figures"]["connections"] == 100, "100 connections")
        self.assertGreaterEqual(len(os.listdir(f"/proc/{worker}/fd")), before + 200)
        self.assertEqual(self.one.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)
        until(lambda: len(os.listdir(f"/proc/{worker}/fd")) <= before, "all its sockets are closed")

    def test_a_paused_session(self):
        """Its download stands still, costs no memory, and is whole in the end."""
        size = 300_000_000

        def pour(connection):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(300):
                connection.sendall(b"x" * 1_000_000)
        self.world.serve(83, pour)
        status, execution = self.one.call("POST", f"/api/v1/sessions/{self.session}/execute", {"command": [
            "sh", "-c", "curl -sN http://good.test:83/ | wc -c > /tmp/size &"]})
        self.assertIn(status, (200, 202), execution)
        received = lambda: self.one.network(self.session)["figures"]["rx_bytes"]
        until(received, "the first bytes")
        self.assertEqual(self.one.call("POST", f"/api/v1/sessions/{self.session}/pause")[0], 200)

        def stands_still():
            before = received()
            other = self.one.session(template_id="shell-default", config={"network": allow("good.test")})
            self.assertEqual(self.one.fetch(other, "http://good.test/")[1], 0)
            self.assertEqual(self.one.call("DELETE", f"/api/v1/sessions/{other}")[0], 204)
            return received() == before
        until(stands_still, "nothing more comes")
        with open(f"/proc/{self.relay()[1]}/status", encoding="utf-8") as file:
            resident = [line for line in file if line.startswith("VmRSS")][0].split()[1]
        self.assertLess(int(resident), 64 << 10)
        self.assertEqual(self.one.call("POST", f"/api/v1/sessions/{self.session}/resume")[0], 200)
        until(lambda: self.one.execute(self.session, command="cat /tmp/size")["stdout"].strip() == str(size), "all of it")

    def test_a_clean_end_leaves_no_relay(self):
        parent, worker = self.relay()
        self.assertEqual(self.one.stop(), 0)
        until(lambda: not os.path.exists(f"/proc/{parent}") and not os.path.exists(f"/proc/{worker}"), "the relay ends")


if __name__ == "__main__":
    unittest.main()
