#!/usr/bin/env python3
"""The relay of atoll-egress, pasta and slirp4netns against direct loopback, in one run: rounds take turns, and ratios of
medians count. Pasta and slirp4netns (Debian packages passt, slirp4netns) give a namespace a network by a TAP device; they
know no names and check nothing.

usage: egress.py --build DIR [--rounds N]     (as root: it makes network namespaces)
"""
import argparse
import multiprocessing
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/security"))

import egress_world as world
import harness

# On the host's lo, and not a loopback address: those stay inside a sandbox.
SERVER = "203.0.113.7"
BYTES, CONNECTIONS = 1 << 30, 1000
CHUNK = b"x" * (256 << 10)


def serve(listener):
    """One connection at a time: `u` takes bytes, `d` gives them, `c` gives one back."""
    buffer = bytearray(256 << 10)
    while True:
        connection, _ = listener.accept()
        with connection:
            order = connection.recv(1)
            if order == b"u":
                while connection.recv_into(buffer):
                    pass
                connection.sendall(b".")
            elif order == b"d":
                for _ in range(BYTES // len(CHUNK)):
                    connection.sendall(CHUNK)
            elif order == b"c":
                connection.sendall(b".")


def upload(connect):
    with connect() as connection:
        connection.sendall(b"u")
        for _ in range(BYTES // len(CHUNK)):
            connection.sendall(CHUNK)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)
    return BYTES / (1 << 20)


def download(connect):
    buffer = bytearray(256 << 10)
    with connect() as connection:
        connection.sendall(b"d")
        while connection.recv_into(buffer):
            pass
    return BYTES / (1 << 20)


def connections(connect):
    for _ in range(CONNECTIONS):
        with connect() as connection:
            connection.sendall(b"c")
            connection.recv(1)
    return CONNECTIONS


def rate(work, connect):
    begin = time.monotonic()
    return work(connect) / (time.monotonic() - begin)


def within(netns):
    """Connects as a program in that namespace does."""
    def connect():
        world.enter(netns.fd)
        return socket.create_connection((SERVER, 7000), timeout=60)
    return connect


def path_of(netns):
    return f"/proc/{os.getpid()}/fd/{netns.fd}"


class Tap:
    """A namespace behind a program that has a TAP device in it."""

    def __init__(self, host, folder, *words):
        self.netns = world.Netns()
        self.netns.run("ip", "link", "set", "lo", "up")
        # A file that stands for the namespace: pasta has given up what it needs to look into /proc by then.
        place = pathlib.Path(folder) / words[0]
        place.touch()
        words = [word.replace("NETNS", str(place)) for word in words]
        self.process = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", f'mount --bind "$0" {place} && exec "$@"', path_of(self.netns), *words],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: world.enter(host.fd))
        if not harness.poll_until(self.answers, 30):
            raise RuntimeError(f"{words[0]} gives no network")

    def answers(self):
        try:
            within(self.netns)().close()
            return True
        except OSError:
            return False

    def end(self):
        self.process.kill()
        self.process.wait()
        self.netns.close()


class Relay:
    """A namespace with atoll-egress."""

    def __init__(self, host, build, folder):
        self.build = build
        self.egress = world.Egress(build, host, folder)
        self.control = world.Control(self.egress.path)
        self.control.ask(settings={"resolvers": [], "trusted": [SERVER]})
        self.box = world.Box(build)
        self.control.ask(fds=(self.box.listener, self.box.dns), attach={"sandbox": "a", "policy": world.policy(SERVER)})
        self.box.let_go()
        self.netns = self.box.netns

    def more(self, name):
        """The namespace of one more sandbox."""
        box = world.Box(self.build)
        self.control.ask(fds=(box.listener, box.dns), attach={"sandbox": name, "policy": world.policy(SERVER)})
        box.let_go()
        return box.netns

    def end(self):
        self.egress.end()


def contenders(host, build, folder):
    """By name: an object with a namespace and an end."""
    yield "atoll-egress", lambda: Relay(host, build, folder)
    # --foreground: it ends with us. The namespace gets the address and route of the host's device.
    pasta = ("pasta", "--foreground", "--quiet", "--config-net", "--netns-only", "--runas", "0", "--tcp-ports", "none",
             "--udp-ports", "none", "--tcp-ns", "none", "--udp-ns", "none", "--netns", "NETNS")
    yield "pasta", lambda: Tap(host, folder, *pasta)
    slirp = ("slirp4netns", "--configure", "--mtu=65520", "--netns-type=path", "NETNS", "tap0")
    yield "slirp4netns", lambda: Tap(host, folder, *slirp)


def measure(build, folder, rounds):
    """(work, unit, medians by contender) of each work."""
    host = world.Netns()
    host.run("ip", "-batch", "-", input="\n".join((
        "link set lo up", f"address add {SERVER}/32 dev lo", "link add d0 type veth peer name d1", "link set d0 up",
        "link set d1 up", "address add 10.9.9.1/24 dev d0", "route add default via 10.9.9.2 dev d0")).encode())
    listener = world.listen(host, SERVER, 7000)
    server = multiprocessing.Process(target=serve, args=(listener,), daemon=True)
    server.start()
    running = {}
    try:
        for name, make in contenders(host, build, folder):
            if name != "atoll-egress" and not shutil.which(name):
                print(f"{name} is not installed")
                continue
            running[name] = make()
        for work, unit in ((upload, "MiB/s"), (download, "MiB/s"), (connections, "/s")):
            yield work.__name__, unit, compare(work, {"direct": host, **{name: one.netns for name, one in running.items()}},
                                               rounds)
    finally:
        for one in running.values():
            one.end()
        server.kill()
        server.join()


def compare(work, places, rounds):
    figures = {name: [] for name in places}
    for _ in range(rounds):
        for name, netns in places.items():
            try:
                figures[name].append(rate(work, within(netns)))
            except OSError as error:  # of a contender: it counts as nothing
                print(f"{name}: {work.__name__}: {error}")
                figures[name].append(0.0)
    return {name: statistics.median(values) for name, values in figures.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for work, unit, medians in measure(arguments.build, folder, arguments.rounds):
            for name, value in medians.items():
                print(f"{work:12} {name:13} {value:8.0f} {unit:6} {value / medians['direct']:.2f}")


if __name__ == "__main__":
    main()
