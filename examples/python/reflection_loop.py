"""The reflection loop: code, tests in a sandbox, and what failed becomes part of the next task. The model is a script,
so that this runs offline; a real one is asked with the same text."""

import asyncio
import json
from typing import List, Tuple

from atoll import AsyncSandbox

TASK = "Write median(numbers), the middle of a list of numbers."
CASES = [([3], 3), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5)]
RUN = """
import json
from solution import median

for given, wanted in json.load(open("cases.json")):
    try:
        got = median(given)
    except Exception as error:
        got = repr(error)
    if got != wanted:
        print(f"median({given}) is {got}, not {wanted}")
"""
ATTEMPTS = [
    "def median(numbers): return numbers[len(numbers) // 2]\n",
    "def median(numbers): return sorted(numbers)[len(numbers) // 2]\n",
    """
def median(numbers):
    ordered, half = sorted(numbers), len(numbers) // 2
    return ordered[half] if len(numbers) % 2 else (ordered[half - 1] + ordered[half]) / 2
""",
]


async def generate_code(task: str) -> str:
    """What a model answers. This one has learnt as much as it was told."""
    return ATTEMPTS[task.count("Failed:")]


async def execute_with_tests(box: AsyncSandbox, code: str) -> List[str]:
    """What fails, line by line."""
    await box.files.write("solution.py", code)
    tested = await box.run(RUN, timeout=30, check=True)
    return tested.stdout.splitlines()


async def code_with_reflection(task: str, max_iterations: int = 3) -> Tuple[str, int]:
    async with await AsyncSandbox.create() as box:
        await box.files.write("cases.json", json.dumps(CASES))
        for iteration in range(1, max_iterations + 1):
            code = await generate_code(task)
            failures = await execute_with_tests(box, code)
            if not failures:
                return code, iteration
            print(f"{iteration}: {failures[0]}")
            task += f"\n\nFailed: {failures}"
    raise RuntimeError(f"not solved in {max_iterations} iterations")


solution, iterations = asyncio.run(code_with_reflection(TASK))
print(f"{iterations}: all {len(CASES)} tests pass")
