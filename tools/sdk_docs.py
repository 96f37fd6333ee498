#!/usr/bin/env python3
"""Makes docs/sdks.md: which SDK has what, from sdk/scenarios.yaml and what each SDK says of itself.

usage: sdk_docs.py [--check]

sdk/LANGUAGE/features.json holds {"name", "package", "page", "lacks": {feature or scenario: reason}}. What an SDK
does not list there it has, and its scenario run proves it. --check writes nothing and fails when the page is stale.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "sdk"))
from harness import read_scenarios  # noqa: E402

OUT = ROOT / "docs/sdks.md"
HEAD = """# SDKs

This page is made by `tools/sdk_docs.py`. Every SDK does the same scenarios ([their list](../sdk/scenarios.yaml), [what it
means](../sdk/SCENARIOS.md)) against a real server in the tests; a number is how many scenarios of a feature it passes.

"""


def sdks():
    """What each SDK says of itself, in the order of the folders' names."""
    found = {}
    for path in sorted(ROOT.glob("sdk/*/features.json")):
        found[path.parent.name] = json.loads(path.read_text(encoding="utf-8"))
    return found


def page():
    document, known = read_scenarios(), sdks()
    names = {feature["id"] for feature in document["features"]} | {s["name"] for s in document["scenarios"]}
    for language, sdk in known.items():
        if unknown := set(sdk["lacks"]) - names:
            sys.exit(f"sdk_docs: {language} lacks what nobody has: {sorted(unknown)}")
    lines = [HEAD]
    lines.append("| SDK | package | page |\n|---|---|---|\n")
    for sdk in known.values():
        lines.append(f"| {sdk['name']} | {sdk['package']} | [{sdk['page']}](sdks/{sdk['page']}) |\n")
    lines.append("\n| feature | " + " | ".join(sdk["name"] for sdk in known.values()) + " |\n")
    lines.append("|---|" + "---|" * len(known) + "\n")
    notes = []
    for feature in document["features"]:
        mine = [s["name"] for s in document["scenarios"] if s["feature"] == feature["id"]]
        cells = []
        for sdk in known.values():
            missing = mine if feature["id"] in sdk["lacks"] else [name for name in mine if name in sdk["lacks"]]
            cells.append(str(len(mine)) if not missing else f"{len(mine) - len(missing)} of {len(mine)}")
        lines.append(f"| {feature['title']} | {' | '.join(cells)} |\n")
    for sdk in known.values():
        notes += [f"- {sdk['name']}, `{what}`: {why}\n" for what, why in sdk["lacks"].items()]
    if notes:
        lines += ["\nWhat is missing:\n\n", *notes]
    return "".join(lines)


def main():
    text = page()
    if "--check" in sys.argv:
        if not OUT.exists() or OUT.read_text(encoding="utf-8") != text:
            print("sdk_docs: docs/sdks.md is stale; run tools/sdk_docs.py")
            return 1
        print("sdk_docs: up to date")
        return 0
    OUT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
