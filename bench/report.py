"""Collects figures, prints them as an aligned table and gives them as JSON."""
import math
import os
import pathlib
import platform
import sys

COLUMNS = ["section", "case", "mode", "contender", "unit", "min", "p50", "p95", "p99", "ratio", "target"]
FIGURES = ("min", "p50", "p95", "p99")
BASES = ("bwrap", "nginx", "relay", "floor")  # whom the others of a case are divided by


class Promise:
    """A figure of one row, or the ratio to another row of its case and mode, and how high or low it may be."""

    def __init__(self, case, contender, mode, figure, most=None, least=None):
        self.case, self.contender, self.mode, self.figure, self.most, self.least = case, contender, mode, figure, most, least

    def measured(self, report, row):
        """None when there is nothing to compare with."""
        if self.figure in row:
            return row[self.figure]
        if self.figure == "p99/p50":
            return row["p99"] / row["p50"] if row.get("p99") else None
        base = report.find(self.case, self.figure.removeprefix("to "), self.mode)
        return main_figure(row) / main_figure(base) if base and main_figure(base) else None

    def is_met(self, value):
        return value <= self.most if self.most is not None else value >= self.least

    def limit(self):
        return f"{self.figure} ≤ {self.most:.4g}" if self.most is not None else f"{self.figure} ≥ {self.least:.4g}"


def main_figure(row):
    return row["p50"] if "p50" in row else row["value"]


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
        figures = {"min": min(samples), **{f"p{percent}": quantile(samples, percent / 100) for percent in (50, 95, 99)}}
        self.add_row(section, {"case": case, "mode": mode, "contender": contender, "unit": "ms", **figures, "samples": len(samples)})

    def add_value(self, section, case, contender, unit, value):
        self.add_row(section, {"case": case, "mode": "", "contender": contender, "unit": unit, "value": value})

    def add_row(self, section, row):
        self.rows.append({"section": section, **row})
        mode = f", {row['mode']}" if row["mode"] else ""
        print(f"{section}: {row['case']}{mode}, {row['contender']}: {main_figure(row):.2f} {row['unit']}", file=sys.stderr, flush=True)

    def add_rows(self, section, rows):
        for row in rows:
            self.add_row(section, row)

    def find(self, case, contender, mode):
        return next((r for r in self.rows if (r["case"], r["contender"], r["mode"]) == (case, contender, mode)), None)

    def judge(self, promises):
        """Fills in the ratios and compares figures with the promises; False when one is missed."""
        for row in self.rows:
            base = next(filter(None, (self.find(row["case"], name, row["mode"]) for name in BASES)), None)
            if base and main_figure(base):
                row["ratio"] = main_figure(row) / main_figure(base)
        for promise in promises:
            row = self.find(promise.case, promise.contender, promise.mode)
            value = promise.measured(self, row) if row else None
            if value is None:
                continue
            met = promise.is_met(value)
            row.setdefault("targets", []).append(f"{promise.limit()}: {'met' if met else 'MISSED'}")
            self.promises.append({"case": promise.case, "contender": promise.contender, "mode": promise.mode,
                                  "limit": promise.limit(), "measured": value, "met": met})
        return all(promise["met"] for promise in self.promises)

    def as_json(self):
        return {"host": self.host, "rows": self.rows, "promises": self.promises, "notes": self.notes}

    def print_table(self):
        table = [COLUMNS]
        for row in self.rows:
            values = [f"{row[key]:.2f}" if key in row else "" for key in FIGURES] if "p50" in row else ["", f"{row['value']:.1f}", "", ""]
            ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
            table.append([row["section"], row["case"], row["mode"], row["contender"], row["unit"], *values, ratio,
                          "; ".join(row.get("targets", []))])
        widths = [max(len(line[i]) for line in table) for i in range(len(COLUMNS))]
        print()
        for number, line in enumerate(table):
            cells = [text.ljust(width) if i < 5 or i == len(COLUMNS) - 1 else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths))]
            print("| " + " | ".join(cells) + " |")
            if number == 0:
                print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        about = self.host
        print(f"\n{about['cpus']} cores, {about['memory_mib']} MiB, Linux {about['kernel']}, cgroup {about['cgroup']}, "
              f"{'root' if about['root'] else 'ordinary user'}, load {about['load_1min']:.1f} at the start")
        for promise in self.promises:
            print(f"promise: {promise['case']}, {promise['mode'] or 'one figure'}, {promise['contender']}: {promise['limit']}: "
                  f"{promise['measured']:.3g}, {'met' if promise['met'] else 'MISSED'}")
        for text in self.notes:
            print(f"note: {text}")
