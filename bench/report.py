"""Collects figures, prints them as an aligned table and gives them as JSON."""
import math
import os
import pathlib
import platform
import sys

COLUMNS = ["section", "case", "mode", "contender", "unit", "min", "p50", "p95", "to bwrap"]


def quantile(samples, share):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def host():
    memory = next((line for line in pathlib.Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal")), "0 0")
    return {"kernel": platform.release(), "machine": platform.machine(), "cpus": os.cpu_count(), "root": os.geteuid() == 0,
            "memory_mib": int(memory.split()[1]) // 1024, "load_1min": os.getloadavg()[0],
            "cgroup": "v2" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "v1"}


class Report:
    def __init__(self):
        self.rows, self.notes, self.promises, self.host, self.failed = [], [], [], host(), False

    def note(self, text):
        self.notes.append(text)
        print(f"note: {text}", file=sys.stderr, flush=True)

    def fail(self, text):
        self.failed = True
        self.note(text)

    def add_latency(self, section, case, contender, mode, samples):
        self.add_figures(section, case, contender, mode, "ms", min(samples), quantile(samples, 0.5), quantile(samples, 0.95), len(samples))

    def add_figures(self, section, case, contender, mode, unit, low, mid, high, count=None):
        self.rows.append({"section": section, "case": case, "mode": mode, "contender": contender, "unit": unit,
                          "min": low, "p50": mid, "p95": high, "samples": count})
        print(f"{section}: {case}, {mode}, {contender}: {mid:.2f} {unit}", file=sys.stderr, flush=True)

    def add_value(self, section, case, contender, unit, value):
        self.rows.append({"section": section, "case": case, "mode": "", "contender": contender, "unit": unit, "value": value})
        print(f"{section}: {case}, {contender}: {value:.1f} {unit}", file=sys.stderr, flush=True)

    def find(self, case, contender, mode):
        return next((r for r in self.rows if (r["case"], r["contender"], r["mode"]) == (case, contender, mode)), None)

    def judge(self, promises):
        """Fills in the ratios and compares them with the promises; False when one is missed."""
        for row in self.rows:
            base = self.find(row["case"], "bwrap", row["mode"])
            key = "p50" if "p50" in row else "value"
            if base and base.get(key):
                row["ratio"] = row[key] / base[key]
        kept = True
        for case, contender, mode, limit in promises:
            row = self.find(case, contender, mode)
            if row and "ratio" in row:
                met = row["ratio"] <= limit
                kept &= met
                self.promises.append({"case": case, "mode": mode, "limit": limit, "ratio": row["ratio"], "met": met})
        return kept

    def as_json(self):
        return {"host": self.host, "rows": self.rows, "promises": self.promises, "notes": self.notes}

    def print_table(self):
        table = [COLUMNS]
        for row in self.rows:
            figures = [f"{row[key]:.2f}" for key in ("min", "p50", "p95")] if "p50" in row else ["", f"{row['value']:.1f}", ""]
            ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
            table.append([row["section"], row["case"], row["mode"], row["contender"], row["unit"], *figures, ratio])
        widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
        print()
        for number, line in enumerate(table):
            cells = [text.ljust(width) if i < 5 else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths))]
            print("| " + " | ".join(cells) + " |")
            if number == 0:
                print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        about = self.host
        print(f"\n{about['cpus']} cores, {about['memory_mib']} MiB, Linux {about['kernel']}, cgroup {about['cgroup']}, "
              f"{'root' if about['root'] else 'ordinary user'}, load {about['load_1min']:.1f} at the start")
        for promise in self.promises:
            print(f"promise: {promise['case']} {promise['mode']} ≤ {promise['limit']:.2f} × bwrap: {promise['ratio']:.2f}, "
                  f"{'met' if promise['met'] else 'MISSED'}")
        for text in self.notes:
            print(f"note: {text}")
