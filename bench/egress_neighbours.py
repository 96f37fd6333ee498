#!/usr/bin/env python3
"""What a sandbox that floods atoll-egress costs another one: the time of a connection with one byte each way, beside a
flood that goes through the same relay, and beside the same flood through a relay of its own (which costs the machine as
much). The ratio of the two is the relay's unfairness.

usage: egress_neighbours.py --build DIR [--rounds N]     (as root: it makes network namespaces)
"""
import argparse
import contextlib
import multiprocessing
import pathlib
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/security"))

import egress
import egress_world as world

COUNT = 300


def flood_dns():
    query = world.dns_query("denied.test")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.connect(("198.18.0.53", 53))
        while True:
            with contextlib.suppress(OSError):
                asker.send(query)


def flood_connections():
    """To an address that no rule allows."""
    while True:
        with contextlib.suppress(OSError), socket.socket() as one:
            one.connect(("203.0.113.99", 7000))


def flood_bytes():
    with socket.create_connection((egress.SERVER, 7001)) as connection:
        connection.sendall(b"u")
        while True:
            connection.sendall(egress.CHUNK)


def silent():
    """As many connections as it may have, which say nothing and are made again when they end."""
    held = []
    while True:
        with contextlib.suppress(OSError):
            held.append(socket.create_connection((egress.SERVER, 80)))
        if len(held) >= 300:
            held.pop(0).close()


def inside(netns, work):
    world.enter(netns.fd)
    work()


def times(connect):
    """Seconds of each connection, sorted."""
    taken = []
    for _ in range(COUNT):
        begin = time.monotonic()
        with connect() as connection:
            connection.sendall(b"c")
            connection.recv(1)
        taken.append(time.monotonic() - begin)
    return sorted(taken)


def beside(netns, work, connect):
    """(p50, p99) in ms while `work` goes on in the namespace."""
    flood = multiprocessing.Process(target=inside, args=(netns, work), daemon=True)
    flood.start()
    try:
        time.sleep(0.2)  # until it floods
        taken = times(connect)
    finally:
        flood.kill()
        flood.join()
    return taken[len(taken) // 2] * 1000, taken[len(taken) * 99 // 100] * 1000


def measure(build, folder, rounds):
    """(flood, p50 and p99 in ms beside it through the same relay, and through a relay of its own) of each."""
    host = world.Netns()
    host.run("ip", "-batch", "-", input=f"link set lo up\naddress add {egress.SERVER}/32 dev lo".encode())
    servers = [multiprocessing.Process(target=egress.serve, args=(world.listen(host, egress.SERVER, port),), daemon=True)
               for port in (7000, 7001, 80)]
    for server in servers:
        server.start()
    shared, apart = (egress.Relay(host, build, folder) for _ in range(2))
    flooder = shared.more("flooder")
    connect = egress.within(shared.netns)
    try:
        for work in (flood_dns, flood_connections, flood_bytes, silent):
            figures = {"same relay": [], "own relay": []}
            for _ in range(rounds):
                figures["own relay"].append(beside(apart.netns, work, connect))
                figures["same relay"].append(beside(flooder, work, connect))
            yield work.__name__, *(tuple(statistics.median(one[i] for one in figures[name]) for i in (0, 1))
                                   for name in ("same relay", "own relay"))
    finally:
        for one in (shared, apart):
            one.end()
        for server in servers:
            server.kill()
            server.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for flood, same, own in measure(arguments.build, folder, arguments.rounds):
            print(f"{flood:18} p50 {same[0]:6.2f} ms {same[0] / own[0]:.2f}   p99 {same[1]:6.2f} ms {same[1] / own[1]:.2f}")


if __name__ == "__main__":
    main()
