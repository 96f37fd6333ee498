"""The official SDK of OpenSandbox on the server of the tests: what it takes for a sandbox is one.

usage: opensandbox_sdk.py URL KEY IMAGE    by the Python of with_opensandbox.environment(); prints figures as JSON
"""
import json
import statistics
import sys
import time
from datetime import timedelta

from opensandbox.config.connection_sync import ConnectionConfigSync
from opensandbox.models.execd import RunCommandOpts
from opensandbox.models.filesystem import DirectoryListEntry, MoveEntry, SearchEntry, SetPermissionEntry, WriteEntry
from opensandbox.sync import SandboxSync

ROUNDS = 5


def expect(actual, expected):
    if actual != expected:
        raise SystemExit(f"{actual!r} instead of {expected!r}")


def lines(messages):
    return [message.text for message in messages]


def timed(action):
    began = time.monotonic()
    result = action()
    return result, (time.monotonic() - began) * 1000


def check_commands(sandbox):
    ran = sandbox.commands.run("echo one; echo; echo err >&2; exit 3")
    expect((lines(ran.logs.stdout), lines(ran.logs.stderr), ran.exit_code), (["one", "\n"], ["err"], 3))
    ran = sandbox.commands.run('echo "$A $PWD"', opts=RunCommandOpts(envs={"A": "b"}, working_directory="/tmp"))
    expect((lines(ran.logs.stdout), ran.exit_code), (["b /tmp"], 0))
    late = sandbox.commands.run("sleep 100", opts=RunCommandOpts(timeout=timedelta(milliseconds=200)))
    expect(late.exit_code, -1)
    kept = sandbox.commands.run("echo kept; sleep 100", opts=RunCommandOpts(background=True))
    expect(sandbox.commands.get_command_status(kept.id).running, True)
    while "kept" not in sandbox.commands.get_background_command_logs(kept.id).content:
        time.sleep(0.02)
    sandbox.commands.interrupt(kept.id)
    while sandbox.commands.get_command_status(kept.id).running:
        time.sleep(0.02)


def check_files(sandbox):
    files = sandbox.files
    files.create_directories([WriteEntry(path="/stuff/d", mode=755)])
    files.write_files([WriteEntry(path="/stuff/a.txt", data="größe", mode=640),
                       WriteEntry(path="/stuff/d/b.bin", data=b"\x00\xff\r\n", mode=600)])
    expect(files.read_file("/stuff/a.txt"), "größe")
    expect(files.read_bytes("/stuff/d/b.bin"), b"\x00\xff\r\n")
    expect(files.get_file_info(["/stuff/a.txt"])["/stuff/a.txt"].mode, 640)
    files.set_permissions([SetPermissionEntry(path="/stuff/a.txt", mode=600)])
    files.move_files([MoveEntry(src="/stuff/a.txt", dest="/stuff/c.txt")])
    expect([one.path for one in files.search(SearchEntry(path="/stuff", pattern="*.txt"))], ["/stuff/c.txt"])
    listed = files.list_directory(DirectoryListEntry(path="/stuff", depth=2))
    expect([one.path for one in listed], ["/stuff/c.txt", "/stuff/d", "/stuff/d/b.bin"])
    files.delete_files(["/stuff/c.txt"])
    files.delete_directories(["/stuff"])


def main():
    url, key, image = sys.argv[1:]
    connection = ConnectionConfigSync(domain=url, api_key=key)

    def create():
        return SandboxSync.create(image, entrypoint=["sleep", "infinity"], connection_config=connection)

    sandbox, create_ms = timed(create)
    try:
        first_ms = timed(lambda: sandbox.commands.run("true"))[1]
        exec_ms = statistics.median(timed(lambda: sandbox.commands.run("true"))[1] for _ in range(ROUNDS))
        check_commands(sandbox)
        check_files(sandbox)
        content = b"x" * 10_000_000
        put_ms = timed(lambda: sandbox.files.write_file("/tmp/large", content))[1]
        back, get_ms = timed(lambda: sandbox.files.read_bytes("/tmp/large"))
        expect(len(back), len(content))
        sandbox.renew(timedelta(minutes=20))
        expect(sandbox.get_info().status.state, "Running")
    finally:
        sandbox.kill()
        sandbox.close()
    print(json.dumps({"create_ms": create_ms, "first_exec_ms": first_ms, "exec_ms": exec_ms,
                      "put_mb_s": len(content) / put_ms / 1000, "get_mb_s": len(content) / get_ms / 1000}))


if __name__ == "__main__":
    main()
