#!/usr/bin/env python3
"""The relay of atoll-egress against direct loopback, in one run: rounds take turns, ratios of medians count.

usage: egress.py --build DIR [--rounds N]     (as root: it makes network namespaces)
"""
import argparse
import multiprocessing
import pathlib
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/security"))

import egress_world as world

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


def measure(build, folder, rounds):
    host = world.Netns()
    host.run("ip", "link", "set", "lo", "up")
    host.run("ip", "address", "add", f"{SERVER}/32", "dev", "lo")
    listener = world.listen(host, SERVER, 7000)
    server = multiprocessing.Process(target=serve, args=(listener,), daemon=True)
    server.start()
    egress = world.Egress(build, host, folder)
    try:
        control = world.Control(egress.path)
        control.ask(settings={"resolvers": [], "trusted": [SERVER]})
        box = world.Box(build)
        control.ask(fds=(box.listener, box.dns), attach={"sandbox": "a", "policy": world.policy(SERVER)})
        box.let_go()

        def within(netns):
            world.enter(netns.fd)
            return lambda: socket.create_connection((SERVER, 7000))
        for work, unit in ((upload, "MiB/s"), (download, "MiB/s"), (connections, "/s")):
            figures = {"direct": [], "relay": []}
            for _ in range(rounds):
                figures["direct"].append(rate(work, within(host)))
                figures["relay"].append(rate(work, within(box.netns)))
            direct, relay = (statistics.median(figures[name]) for name in ("direct", "relay"))
            print(f"{work.__name__:12} direct {direct:8.0f} {unit}  relay {relay:8.0f} {unit}  ratio {relay / direct:.2f}")
    finally:
        egress.end()
        server.kill()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=6)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(arguments.build, folder, arguments.rounds)


if __name__ == "__main__":
    main()
