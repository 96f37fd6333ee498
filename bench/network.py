"""The section `network`: the relay against other ways out, beside floods, and what a policy costs a create."""
import os
import statistics

import egress
import egress_neighbours
import network_creates
from report import Promise

RELAY = "atoll-egress"
UPLOAD, DOWNLOAD, CONNECTIONS = "network: upload", "network: download", "network: connect and 1 byte"
CASES = {"upload": UPLOAD, "download": DOWNLOAD, "connections": CONNECTIONS}
FLOODS = {"flood_dns": "DNS queries", "flood_connections": "refused connections", "flood_bytes": "an upload",
          "silent": "silent connections"}
BESIDE, COST = "p99 of a connection beside {}, same relay to its own", "create: what a policy costs"

PROMISES = [
    *(Promise(case, RELAY, "", "to direct", least=least)
      for case, least in ((UPLOAD, 0.55), (DOWNLOAD, 0.55), (CONNECTIONS, 0.6))),
    *(Promise(case, RELAY, "", f"to {other}", least=1) for case in CASES.values() for other in ("pasta", "slirp4netns")),
    *(Promise(BESIDE.format(flood), RELAY, "", "value", most=1.5) for flood in FLOODS.values()),
    Promise(f"{COST}, hot", "atoll", "", "value", most=0.3),
    Promise(f"{COST}, after 200 ms idle", "atoll", "", "value", most=0.5),
]


def network(out, bin_dir, scratch, quick):
    if os.geteuid() != 0:
        out.note("no figures of the network: that needs root")
        return
    folder = scratch / "network"
    folder.mkdir(mode=0o711)
    for path in (scratch, folder):  # the server becomes another user on its way
        path.chmod(0o711)
    for work, unit, medians in egress.measure(str(bin_dir.parent), str(folder), 2 if quick else 6):
        for name, value in medians.items():
            out.add_value("network", CASES[work], name, unit, value)
    for flood, same, own in egress_neighbours.measure(str(bin_dir.parent), str(folder), 2 if quick else 5):
        out.add_value("network", BESIDE.format(FLOODS[flood]), RELAY, "", same[1] / own[1])
    for mode, without, with_one in network_creates.measure(bin_dir, str(folder), 40 if quick else 200):
        out.add_latency("network", "warm create", "without a policy", mode, without)
        out.add_latency("network", "warm create", "with a policy", mode, with_one)
        cost = statistics.median(with_one) - statistics.median(without)
        out.add_value("network", f"{COST}, {mode}", "atoll", "ms", cost)
