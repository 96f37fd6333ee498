"""Write code, test it, tell the model what failed, try again: the loop around POST /sessions/{id}/test.

usage: reflect.py TASK TESTFILE, with ATOLL_SERVER and ATOLL_KEY set, and a model in MODEL_COMMAND: a program that
reads a prompt on stdin and prints Python. Only Python's standard library.
"""
import json
import os
import subprocess
import sys
import urllib.request


class Atoll:
    def __init__(self, server, key=""):
        self.server, self.key = server, key

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json", "Prefer": "wait=60"}
        if self.key:
            headers["X-API-Key"] = self.key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + "/api/v1" + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=300) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def message_for(failures):
    """What a model needs to do better: each test that failed, and why."""
    return "\n".join(f"- {one['name']} ({one['outcome']}): {one['message']}" for one in failures)


def solve(atoll, model, task, test_code, tries=3):
    """The code that passes, or None. `model` is a function from a prompt to Python code."""
    session = atoll.call("POST", "/sessions", {"template_id": "python-default"})["id"]
    try:
        prompt = task
        for _ in range(tries):
            code = model(prompt)
            result = atoll.call("POST", f"/sessions/{session}/test", {"code": code, "language": "python", "test_code": test_code})
            if result["all_passed"]:
                return code
            prompt = f"{task}\n\nYour last answer was:\n{code}\n\nThese tests failed:\n{message_for(result['failures'])}"
        return None
    finally:
        atoll.call("DELETE", f"/sessions/{session}")


def main():
    task, test_file = sys.argv[1:]

    def model(prompt):
        return subprocess.run(os.environ["MODEL_COMMAND"], shell=True, input=prompt, capture_output=True, text=True, check=True).stdout

    with open(test_file, encoding="utf-8") as file:
        code = solve(Atoll(os.environ["ATOLL_SERVER"], os.environ.get("ATOLL_KEY", "")), model, task, file.read())
    print(code if code is not None else "no answer has passed")
    return 0 if code is not None else 1


if __name__ == "__main__":
    sys.exit(main())
