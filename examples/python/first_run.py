"""A sandbox, code in it, and its end. Needs a server: ATOLL_URL and ATOLL_API_KEY name it."""

from atoll import Sandbox

with Sandbox.create() as box:
    done = box.run("print(6 * 7)")
    print(done.stdout.strip())
    print(f"exit code {done.exit_code}")
