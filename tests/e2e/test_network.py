"""Sessions with a network: what their policies allow is reached, everything else is not."""
import json
import threading
import time
import unittest

from network_case import GOOD, METADATA, PRIVATE, NetworkCase, allow, slow_download
from server import until

NO_ROUTE = """import socket
try:
    socket.create_connection(("93.184.216.34", 80))
except OSError as error:
    print(error.errno)
"""


class Sessions(NetworkCase):
    def setUp(self):
        super().setUp()
        self.serve_web()

    def test_allowed_names_and_no_others(self):
        server = self.server()
        session = server.session(template_id="shell-default", config={"network": allow("good.test:80")})
        self.assertEqual(server.fetch(session, "http://good.test/"),
                         ("GET / HTTP/1.1 host=good.test upgrade=None 200", 0))
        denied, status = server.fetch(session, "http://other.test/")
        self.assertTrue(denied.endswith(" 403"), denied)
        self.assertIn("other.test", denied)
        self.assertIn(server.fetch(session, f"http://{GOOD}/")[1], (7, 56))  # a reset
        self.assertFalse(server.fetch(session, "http://good.test:8080/")[0].endswith(" 200"))
        told = until(lambda: len(server.refusals(session)) >= 3 and server.refusals(session), "refusals in the audit")
        self.assertIn("other.test:80 name_denied", [one["detail"] for one in told])
        figures = server.network(session)["figures"]
        self.assertGreaterEqual(figures["refused_total"], 3)
        self.assertGreater(figures["rx_bytes"], 50)
        self.assertIn(("other.test", 80, "name_denied"),
                      [(one["host"], one["port"], one["reason"]) for one in figures["refused"]])
        usage = server.call("GET", f"/api/v1/sessions/{session}/usage")[1]
        self.assertEqual(usage["network_rx_bytes"], figures["rx_bytes"])
        self.assertEqual(usage["network_tx_bytes"], figures["tx_bytes"])
        self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)

    def test_without_a_policy_there_is_no_network(self):
        server = self.server()
        for config in ({}, {"network": {"default": "deny"}}, {"network": {"rules": [{"action": "deny", "target": "*"}]}}):
            session = server.session(template_id="shell-default", config=config)
            done = server.execute(session, command=["python3", "-c", NO_ROUTE])
            self.assertEqual(done["stdout"], "101\n", done)  # ENETUNREACH

    def test_everything_public_and_nothing_private(self):
        self.world.serve(80, address=PRIVATE)
        self.world.serve(80, address=METADATA)
        server = self.server()
        session = server.session(template_id="shell-default", config={"network": {"default": "allow"}})
        for url in ("http://good.test/", "http://other.test/", f"http://{GOOD}/"):
            self.assertEqual(server.fetch(session, url)[1], 0, url)
        for url in ("http://private.test/", "http://meta.test/", "http://own.test/"):
            self.assertTrue(server.fetch(session, url)[0].endswith(" 403"), url)
        for url in (f"http://{PRIVATE}/", f"http://{METADATA}/"):
            self.assertIn(server.fetch(session, url)[1], (7, 56), url)

    def test_short_forms(self):
        """allow_network and allowed_domains of templates, and those of the configuration."""
        server = self.server(sandbox={"enabled": True, "backend": "native", "mode": "per-session",
                                      "network": {"deniedDomains": ["other.test"]}})
        for name, security in (("all", {"allow_network": True}), ("list", {"allowed_domains": ["good.test", "other.test"]})):
            self.assertEqual(server.call("POST", "/api/v1/templates", {"id": name, "security": security})[0], 201)
            session = server.session(template_id=name)
            self.assertEqual(server.fetch(session, "http://good.test/")[1], 0, name)
            self.assertTrue(server.fetch(session, "http://other.test/")[0].endswith(" 403"), name)

    def test_isolation_says_so(self):
        server = self.server()
        with_it = server.call("POST", "/api/v1/sessions", {"template_id": "shell-default",
                                                           "config": {"network": allow("good.test")}}, {"Prefer": "wait"})[1]
        without = server.call("POST", "/api/v1/sessions", {"template_id": "shell-default"}, {"Prefer": "wait"})[1]
        self.assertIn("egress_filtered", with_it["isolation"]["layers"])
        self.assertNotIn("egress_filtered", without["isolation"]["layers"])

    def test_a_live_session_is_changed(self):
        server = self.server()
        session = server.session(template_id="shell-default")
        self.assertNotEqual(server.fetch(session, "http://good.test/")[1], 0)
        self.assertEqual(server.set_network(session, allow("good.test"))[0], 200)
        self.assertEqual(server.fetch(session, "http://good.test/")[1], 0)
        self.assertEqual(server.set_network(session, allow("other.test"))[0], 200)
        self.assertTrue(server.fetch(session, "http://good.test/")[0].endswith(" 403"))
        self.assertEqual(server.fetch(session, "http://other.test/")[1], 0)
        self.assertEqual(server.set_network(session, {})[0], 200)
        self.assertTrue(server.fetch(session, "http://other.test/")[0].endswith(" 403"))

    def test_a_narrower_policy_ends_a_download(self):
        self.world.serve(81, slow_download)
        server = self.server()
        session = server.session(template_id="shell-default", config={"network": allow("good.test", "other.test")})
        ended = []
        download = threading.Thread(target=lambda: ended.append(server.fetch(session, "http://good.test:81/", "-m", "60")))
        download.start()
        until(lambda: server.network(session)["figures"]["rx_bytes"] > 0, "the first bytes of the download")
        self.assertEqual(server.network(session)["figures"]["open"][0]["host"], "good.test")
        self.assertEqual(server.set_network(session, allow("other.test"))[0], 200)
        download.join(60)
        self.assertNotIn(ended[0][1], (0, 28), ended)
        until(lambda: "policy_changed" in [one["reason"] for one in server.network(session)["figures"]["refused"]],
              "the end of the download among the refusals")
        self.assertEqual(server.fetch(session, "http://other.test/")[1], 0)

    def test_fifty_sessions_with_policies_of_their_own(self):
        self.world.resolver.names.update({f"n{i}.test": [GOOD] for i in range(50)})
        server = self.server(pool={"size": 5})
        problems = []

        def one(i):
            try:
                session = server.session(template_id="shell-default", config={"network": allow(f"n{i}.test:80")})
                own, other = f"http://n{i}.test/", f"http://n{(i + 1) % 50}.test/"
                if not server.fetch(session, own)[0].endswith(" 200"):
                    problems.append((i, server.fetch(session, own)))
                if not server.fetch(session, other)[0].endswith(" 403"):
                    problems.append((i, server.fetch(session, other)))
                server.call("DELETE", f"/api/v1/sessions/{session}")
            except Exception as error:  # of a thread
                problems.append((i, error))
        threads = [threading.Thread(target=one, args=(i,)) for i in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_from_the_pool(self):
        server = self.server()
        until(lambda: server.pool("shell-default")["ready"] >= 1, "a sandbox in the pool")
        before = server.pool("shell-default")["hits"]
        session = server.session(template_id="shell-default", config={"network": allow("good.test")})
        self.assertEqual(server.pool("shell-default")["hits"], before + 1)
        self.assertEqual(server.fetch(session, "http://good.test/")[1], 0)

    def test_policies_that_are_wrong(self):
        server = self.server()
        for policy, place in (({"rules": [{"action": "allow", "target": "a..b"}]}, "/config/network/rules/0/target"),
                              ({"rules": [{"action": "allow", "target": "10.0.0.1/8"}]}, "/config/network/rules/0/target"),
                              ({"allow_private": ["x"]}, "/config/network/allow_private/0")):
            status, problem = server.call("POST", "/api/v1/sessions", {"config": {"network": policy}})
            self.assertEqual((status, problem.get("pointer", problem.get("at"))), (422, place), problem)


if __name__ == "__main__":
    unittest.main()
