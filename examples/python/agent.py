"""An agent with two tools. The model is a script, so that this runs offline; a real one returns the same calls."""

from typing import Any, Dict, List

from atoll import Sandbox
from atoll.adapters.tools import Toolbox

MODEL: List[Dict[str, Any]] = [
    {"tool": "write_file", "input": {"path": "numbers.txt", "content": "3\n1\n2\n"}},
    {"tool": "run_code", "input": {"code": "print(sorted(open('numbers.txt').read()))[0]"}},
    {"tool": "run_code", "input": {"code": "print(sorted(map(int, open('numbers.txt'))))"}},
]

with Sandbox.create() as box:
    tools = Toolbox(box)  # tools.openai(), tools.anthropic(): what a real model is told of them
    seen = ""
    for step in MODEL:
        seen = tools.call(step["tool"], step["input"]).strip()
        print(f"{step['tool']}: {seen.splitlines()[-1]}")
    print(f"sorted: {seen}")
