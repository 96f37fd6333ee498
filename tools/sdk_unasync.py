#!/usr/bin/env python3
"""Makes the synchronous half of the Python SDK from its asynchronous one.

usage: sdk_unasync.py [--check]

Names and keywords are replaced, token by token of the text; what is no matter of spelling is in compat.py,
which each half has its own of. A comment `# sync-only: ` is code in the synchronous half.
--check writes nothing and fails when a file is stale.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "sdk/python/src/atoll"
BY_HAND = {"compat.py"}
RULES = [(re.compile(pattern), text) for pattern, text in [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAwaitable\[([\w.]+)\]", r"\1"),
    (r"\bAsyncHTTPTransport\b", "HTTPTransport"),
    (r"\bhttpx\.AsyncClient\b", "httpx.Client"),
    (r"\bAsync(Iterator|Iterable)\b", r"\1"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\ba(close|read|iter_raw)\b", r"\1"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\basync with\b", "with"),
    (r"The asynchronous client\. `_sync` is made from this folder by", "The synchronous client, made from `_async` by"),
]]
MARK = "# Made by tools/sdk_unasync.py from _async/{}; changes belong there.\n"


def converted(name, text):
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    text = re.sub(r"^from typing import [^(\n]*\n", imports_once, text, flags=re.M)
    text = re.sub(r"^from typing import \(\n(?:    .*\n)*\)\n", imports_once, text, flags=re.M)
    text = text.replace("# sync-only: ", "")
    return MARK.format(name) + text


def imports_once(match):
    """Two names may have become one, and one may not be needed any more."""
    names = sorted(set(re.findall(r"\w+", match[0].split("import", 1)[1])) - {"Awaitable"}, key=order)
    line = f"from typing import {', '.join(names)}\n"
    if len(line) <= 121:
        return line
    return "from typing import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


def order(name):
    return (0 if name.isupper() else 1, name)


def main():
    check, stale = "--check" in sys.argv, []
    for source in sorted((ROOT / "_async").glob("*.py")):
        if source.name in BY_HAND:
            continue
        text = converted(source.name, source.read_text(encoding="utf-8"))
        target = ROOT / "_sync" / source.name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            stale.append(target.name)
            if not check:
                target.write_text(text, encoding="utf-8")
    print(f"sdk_unasync: {len(stale)} files {'stale: ' + ', '.join(stale) if check and stale else 'written' if stale else 'to write'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
