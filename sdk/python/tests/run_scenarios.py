#!/usr/bin/env python3
"""The scenarios of sdk/scenarios.yaml with the Python SDK; started by sdk/harness.py.

usage: run_scenarios.py sync | async
"""
import asyncio
import json
import os
import pathlib
import random
import re
import string
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from conditions import filled, unmet
from steps import Steps

import atoll

UNTIL = 60.0
FAILURES = (atoll.SandboxError,)


def explain(error, wanted):
    """What of an expected error does not hold."""
    problems = []
    if error.code != wanted["code"]:
        problems.append(f"code is {error.code} ({error.detail})")
    if "status" in wanted and error.status != wanted["status"]:
        problems.append(f"status is {error.status}")
    if "at" in wanted and error.at != wanted["at"]:
        problems.append(f"at is {error.at}")
    if "class" in wanted and not isinstance(error, getattr(atoll, wanted["class"])):
        problems.append(f"class is {type(error).__name__}")
    if wanted.get("retry_after") and error.retry_after is None:
        problems.append("it has no retry_after")
    return problems


class Failed(Exception):
    pass


async def run_step(steps, saved, objects, step):
    known = {"call", "on", "with", "save", "until", "expect", "error"}
    if set(step) - known:
        raise Failed(f"unknown parts: {set(step) - known}")
    end = time.monotonic() + UNTIL
    while True:
        try:
            value, thing = await steps.call(step["call"], step.get("on", "client"), objects,
                                            filled(step.get("with", {}), saved))
        except FAILURES as error:
            if "error" not in step:
                raise
            if problems := explain(error, step["error"]):
                raise Failed("; ".join(problems)) from error
            return
        if "error" in step:
            raise Failed(f"it worked, where {step['error']['code']} was wanted: {repr(value)[:300]}")
        problems = unmet(step.get("expect", []), value, saved)
        if not problems:
            break
        if not step.get("until") or time.monotonic() > end:
            raise Failed("; ".join(problems))
        await asyncio.sleep(0.05)
    if "save" in step:
        saved[step["save"]], objects[step["save"]] = value, thing


async def run_scenario(kind, scenario):
    word = "".join(random.choices(string.ascii_lowercase + string.digits, k=12))
    saved, objects = {"unique": word}, {}
    steps = Steps(kind, scenario)
    objects["client"] = steps.client(scenario.get("key"), scenario.get("server", "main"), scenario.get("retries"))
    try:
        for number, step in enumerate(scenario["steps"], 1):
            try:
                await asyncio.wait_for(run_step(steps, saved, objects, step), 150)
            except Exception as error:
                why = str(error) if isinstance(error, (Failed, *FAILURES)) else traceback.format_exc()
                return f"step {number} ({step['call']}): {why or repr(error)}"
        return None
    finally:
        await steps.clean_up()


async def main(kind):
    document = json.loads(pathlib.Path(os.environ["ATOLL_SCENARIOS"]).read_text(encoding="utf-8"))
    only = re.compile(os.environ.get("ATOLL_ONLY", ""))
    for scenario in document["scenarios"]:
        if not only.search(scenario["name"]):
            continue
        begun = time.monotonic()
        problem = await run_scenario(kind, scenario)
        print(json.dumps({"scenario": scenario["name"], "ok": problem is None,
                          "detail": problem or f"{time.monotonic() - begun:.2f} s"}), flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
