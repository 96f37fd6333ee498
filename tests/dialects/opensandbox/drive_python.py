"""Every call of the official Python SDK, each read back through the server's own API.

usage: drive_python.py URL KEY PART    by the Python of prepare.environment()
"""
import asyncio
import json
import statistics
import sys
import tempfile
import time
import urllib.request
from datetime import datetime, timedelta, timezone

from code_interpreter.models.code_sync import SupportedLanguageSync
from code_interpreter.sync.code_interpreter import CodeInterpreterSync
from opensandbox import Sandbox
from opensandbox.config import ConnectionConfig
from opensandbox.config.connection_sync import ConnectionConfigSync
from opensandbox.exceptions import SandboxApiException, SandboxException
from opensandbox.models.execd import RunCommandOpts
from opensandbox.models.execd_sync import ExecutionHandlersSync
from opensandbox.models.filesystem import (ContentReplaceEntry, DirectoryListEntry, MoveEntry, SearchEntry,
                                           SetPermissionEntry, WriteEntry)
from opensandbox.models.sandboxes import NetworkPolicy, NetworkRule, SandboxFilter, SnapshotFilter
from opensandbox.pool import InMemoryPoolStateStore, PoolCreationSpec
from opensandbox.sync import SandboxSync
from opensandbox.sync.manager import SandboxManagerSync
from opensandbox.sync.pool import SandboxPoolSync

from rest import Rest, expect, until

IMAGE = "opensandbox/code-interpreter:v1.0.1"
INTERPRETER = ["/opt/opensandbox/code-interpreter.sh"]
URL, KEY = sys.argv[1:3]
ROUNDS = 50  # of a command that is timed
REST = Rest(URL, KEY)


def connection(**changes):
    return ConnectionConfigSync(domain=URL.removeprefix("http://"), api_key=KEY, **changes)


def create(**wishes):
    return SandboxSync.create(wishes.pop("image", IMAGE), connection_config=connection(), **wishes)


def lines(messages):
    return [message.text for message in messages]


def refused(action, *, status):
    try:
        action()
    except SandboxApiException as error:
        expect(error.status_code, status)
        return error
    raise SystemExit("it was not refused")


def lifecycle():
    sandbox = create(metadata={"project": "a b&c=%", "team": "x"}, env={"GREETING": "hi"},
                     resource={"cpu": "250m", "memory": "128Mi"}, timeout=timedelta(minutes=5))
    session = REST.get(f"/sessions/{sandbox.id}")
    expect(session["status"], "ready")
    expect(session["labels"], {"project": "a b&c=%", "team": "x"})
    expect(session["config"]["timeout_seconds"], 300)
    expect(session["config"]["resources"], {"cpu": 0.25, "memory": 128})
    expect(session["config"]["environment"]["GREETING"], "hi")
    expect(session["template_id"], "python-default")
    info = sandbox.get_info()
    expect((info.id, info.status.state, info.metadata, info.image.image),
           (sandbox.id, "Running", {"project": "a b&c=%", "team": "x"}, IMAGE))
    expect(abs((info.expires_at - datetime.now(timezone.utc)).total_seconds() - 300) < 60, True)
    expect(sandbox.is_healthy(), True)
    renewed = sandbox.renew(timedelta(minutes=20))
    seen = datetime.fromisoformat(REST.get(f"/sessions/{sandbox.id}")["expires_at"].replace("Z", "+00:00"))
    expect(seen, renewed.expires_at)
    expect(abs((seen - datetime.now(timezone.utc)).total_seconds() - 1200) < 60, True)
    expect(sandbox.patch_metadata({"team": None, "more": "1"}).metadata, {"project": "a b&c=%", "more": "1"})
    expect(REST.get(f"/sessions/{sandbox.id}")["labels"], {"project": "a b&c=%", "more": "1"})
    sandbox.pause()
    expect(REST.get(f"/sessions/{sandbox.id}")["status"], "paused")
    expect(sandbox.get_info().status.state, "Paused")
    again = SandboxSync.resume(sandbox.id, connection_config=connection())
    expect(REST.get(f"/sessions/{sandbox.id}")["status"], "ready")
    expect(lines(again.commands.run("echo awake; echo $GREETING").logs.stdout), ["awake", "hi"])
    other = SandboxSync.connect(sandbox.id, connection_config=connection())
    expect(other.get_info().id, sandbox.id)
    other.close()
    again.kill()
    expect(REST.get(f"/sessions/{sandbox.id}")["status"], "terminated")
    expect(refused(sandbox.get_info, status=404).error.code, "SANDBOX::NOT_FOUND")
    refused(lambda: create(image="no/such/image:1"), status=404)
    sandbox.close()


def manager():
    made = [create(metadata={"crowd": "c", "n": str(n)}) for n in range(3)]
    with SandboxManagerSync.create(connection()) as all_of_them:
        def page(number, **more):
            return all_of_them.list_sandbox_infos(SandboxFilter(metadata={"crowd": "c"}, page=number, page_size=2, **more))
        first, second = page(1), page(2)
        ids = [one.id for one in first.sandbox_infos + second.sandbox_infos]
        expect(sorted(ids), sorted(one.id for one in made))
        expect((first.pagination.total_items, first.pagination.total_pages, first.pagination.has_next_page), (3, 2, True))
        expect((second.pagination.has_next_page, len(second.sandbox_infos)), (False, 1))
        all_of_them.pause_sandbox(made[0].id)
        expect([one.id for one in page(1, states=["Paused"]).sandbox_infos], [made[0].id])
        expect(page(1, states=["Running", "Paused"]).pagination.total_items, 3)
        all_of_them.resume_sandbox(made[0].id)
        expect(page(1, states=["Paused"]).sandbox_infos, [])
        expect(all_of_them.get_sandbox_info(made[1].id).metadata["n"], "1")
        all_of_them.renew_sandbox(made[1].id, timedelta(minutes=30))
        all_of_them.patch_sandbox_metadata(made[1].id, {"n": "one"})
        expect(REST.get(f"/sessions/{made[1].id}")["labels"]["n"], "one")
        refused(lambda: all_of_them.list_templates(__import__("opensandbox.models.templates", fromlist=["x"]).TemplateFilter()),
                status=501)
        for one in made:
            all_of_them.kill_sandbox(one.id)
            one.close()
        expect(page(1).pagination.total_items, 0)


def commands():
    sandbox = create()
    run = sandbox.commands.run
    ran = run("echo one; echo; echo err >&2; exit 3")
    expect((lines(ran.logs.stdout), lines(ran.logs.stderr), ran.exit_code, ran.complete), (["one", "\n"], ["err"], 3, None))
    seen = REST.get(f"/executions/{ran.id}")
    expect((seen["stdout"], seen["stderr"], seen["exit_code"]), ("one\n\n", "err\n", 3))
    ran = run('echo "$A $PWD"; [[ a == a* ]] && echo bash', opts=RunCommandOpts(envs={"A": "b"}, working_directory="/tmp"))
    expect((lines(ran.logs.stdout), ran.exit_code), (["b /tmp", "bash"], 0))
    expect(lines(run(["printf", "%s\n", "a b", "$HOME"]).logs.stdout), ["a b", "$HOME"])
    late = run("echo begun; sleep 100", opts=RunCommandOpts(timeout=timedelta(milliseconds=300)))
    expect((lines(late.logs.stdout), late.exit_code, late.error.name), (["begun"], -1, "CommandTimeoutError"))
    expect(REST.get(f"/executions/{late.id}")["state"], "timed_out")
    heard = []
    run("echo a; echo b >&2", handlers=ExecutionHandlersSync(
        on_init=lambda one: heard.append("init"), on_stdout=lambda one: heard.append(one.text),
        on_stderr=lambda one: heard.append(one.text), on_execution_complete=lambda one: heard.append("done")))
    expect((heard[0], sorted(heard[1:3]), heard[3:]), ("init", ["a", "b"], ["done"]))
    sandbox.commands.set_env("KEPT", "it's \"kept\" $HOME")
    sandbox.commands.set_env("PLAIN", "x $y")
    expect(lines(run('echo "$PLAIN"; echo "${KEPT%% *}"').logs.stdout), ["x $y", "it's"])

    kept = run("echo begun; read -r line; echo $line", opts=RunCommandOpts(background=True))
    status = sandbox.commands.get_command_status(kept.id)
    expect((status.id, status.content, status.exit_code), (kept.id, "echo begun; read -r line; echo $line", status.exit_code))
    ticking = run("for i in 1 2 3; do echo tick $i; done; sleep 1000", opts=RunCommandOpts(background=True))
    read, cursor = "", 0
    while "tick 3\n" not in read:
        piece = sandbox.commands.get_background_command_logs(ticking.id, cursor)
        read, cursor = read + piece.content, piece.cursor
    expect((read, cursor), ("tick 1\ntick 2\ntick 3\n", 21))
    expect(sandbox.commands.get_background_command_logs(ticking.id, cursor).content, "")
    expect(sandbox.commands.get_command_status(ticking.id).running, True)
    sandbox.commands.interrupt(ticking.id)
    until(lambda: not sandbox.commands.get_command_status(ticking.id).running, "the interrupted command")
    expect(REST.get(f"/executions/{ticking.id}")["state"], "cancelled")
    refused(lambda: sandbox.commands.get_command_status("none"), status=404)
    refused(lambda: run("true", opts=RunCommandOpts(uid=0)), status=501)

    shell = sandbox.commands.create_session(working_directory="/tmp")
    said = sandbox.commands.run_in_session(shell, "export V=1; mkdir -p deep; cd deep; pwd")
    expect((lines(said.logs.stdout), said.exit_code), (["/tmp/deep"], 0))
    said = sandbox.commands.run_in_session(shell, "echo $V $PWD $PLAIN; false")
    expect((lines(said.logs.stdout), said.exit_code), (["1 /tmp/deep x $y"], 1))
    said = sandbox.commands.run_in_session(shell, "pwd", working_directory="/workspace")
    expect(lines(said.logs.stdout), ["/workspace"])
    expect([one["id"] for one in REST.get(f"/sessions/{sandbox.id}/contexts")["contexts"]], [shell])
    sandbox.commands.delete_session(shell)
    expect(REST.get(f"/sessions/{sandbox.id}/contexts")["contexts"], [])
    refused(lambda: sandbox.commands.delete_session(shell), status=404)
    sandbox.kill()


def files():
    sandbox = create()
    box, session = sandbox.files, sandbox.id
    box.create_directories([WriteEntry(path="/workspace/stuff/d", mode=750)])
    box.write_files([WriteEntry(path="/workspace/stuff/a.txt", data="größe\n", mode=640),
                     WriteEntry(path="/workspace/stuff/d/b.bin", data=b"\x00\xff\r\n", mode=600)])
    box.write_file("/workspace/new/deep/c.txt", "1\n2\n3\n4\n")
    expect(REST.file(session, "stuff/a.txt"), ("größe\n".encode(), "0640"))
    expect(REST.file(session, "stuff/d/b.bin"), (b"\x00\xff\r\n", "0600"))
    expect(REST.file(session, "new/deep/c.txt"), (b"1\n2\n3\n4\n", "0755"))
    expect(box.read_file("/workspace/stuff/a.txt"), "größe\n")
    expect(box.read_bytes("/workspace/stuff/d/b.bin"), b"\x00\xff\r\n")
    expect(box.read_bytes("/workspace/new/deep/c.txt", range_header="bytes=2-4"), b"2\n3")
    expect(box.read_file("/workspace/new/deep/c.txt", offset=2, limit=2), "2\n3\n")
    expect(b"".join(box.read_bytes_stream("/workspace/new/deep/c.txt")), b"1\n2\n3\n4\n")
    info = box.get_file_info(["/workspace/stuff/a.txt", "/workspace/stuff/d"])
    one = info["/workspace/stuff/a.txt"]
    expect((one.path, one.entry_type, one.mode, one.size), ("/workspace/stuff/a.txt", "file", 640, 8))
    expect((info["/workspace/stuff/d"].entry_type, info["/workspace/stuff/d"].mode), ("directory", 750))
    expect(abs((one.modified_at - datetime.now(timezone.utc)).total_seconds()) < 60, True)
    box.set_permissions([SetPermissionEntry(path="/workspace/stuff/a.txt", mode=600)])
    expect(REST.file(session, "stuff/a.txt")[1], "0600")
    box.move_files([MoveEntry(src="/workspace/stuff/a.txt", dest="/workspace/stuff/z.txt")])
    expect(REST.file(session, "stuff/a.txt")[0], 404)
    expect([found.path for found in box.search(SearchEntry(path="/workspace/stuff", pattern="*.txt"))],
           ["/workspace/stuff/z.txt"])
    listed = box.list_directory(DirectoryListEntry(path="/workspace/stuff", depth=2))
    expect([found.path for found in listed],
           ["/workspace/stuff/d", "/workspace/stuff/d/b.bin", "/workspace/stuff/z.txt"])
    box.replace_contents([ContentReplaceEntry(path="/workspace/new/deep/c.txt", old_content="3", new_content="three")])
    expect(REST.file(session, "new/deep/c.txt")[0], b"1\n2\nthree\n4\n")
    done = box.replace_contents_detailed(
        [ContentReplaceEntry(path="/workspace/new/deep/c.txt", old_content="\n", new_content=";")])
    expect([(entry.path, entry.replaced_count) for entry in done], [("/workspace/new/deep/c.txt", 4)])
    expect(REST.file(session, "new/deep/c.txt"), (b"1;2;three;4;", "0755"))
    large = bytes(range(256)) * 40_000
    with tempfile.TemporaryFile() as file:
        file.write(large)
        file.seek(0)
        box.write_file("/workspace/large", file)
    expect(box.read_bytes("/workspace/large") == large, True)
    box.delete_files(["/workspace/stuff/z.txt", "/workspace/large"])
    box.delete_directories(["/workspace/new", "/workspace/none"])
    expect(sorted(REST.names(session)), ["stuff", "stuff/d", "stuff/d/b.bin"])
    refused(lambda: box.get_file_info(["/workspace/none"]), status=404)
    refused(lambda: box.delete_files(["/workspace/none"]), status=404)
    sandbox.kill()


def code():
    sandbox = create(entrypoint=INTERPRETER)
    interpreter = CodeInterpreterSync.create(sandbox, health_check_polling_interval=timedelta(milliseconds=20))
    expect(interpreter.is_healthy(), True)
    codes = interpreter.codes
    ran = codes.run("x = 20\nprint('said')\nx + 1")
    expect((lines(ran.logs.stdout), ran.result[0].text, ran.error, ran.execution_count), (["said\n"], "21", None, 1))
    ran = codes.run("x + 2")
    expect((ran.result[0].text, ran.execution_count), ("22", 2))
    context = codes.create_context(SupportedLanguageSync.PYTHON)
    expect(context.id in [one["id"] for one in REST.get(f"/sessions/{sandbox.id}/contexts")["contexts"]], True)
    expect(codes.get_context(context.id).language, "python")
    ran = codes.run("x", context=context)
    expect((ran.error.name, "x" in ran.error.value, any("NameError" in line for line in ran.error.traceback)),
           ("NameError", True, True))
    expect(ran.complete, None)
    expect(REST.get(f"/executions/{ran.id}")["error"]["ename"], "NameError")
    ran = codes.run("const y = 5; y * 2", language=SupportedLanguageSync.JAVASCRIPT)
    expect(ran.result[0].text, "10")
    ran = codes.run("echo $((6 * 7))", language=SupportedLanguageSync.BASH)
    expect("".join(lines(ran.logs.stdout)), "42\n")
    listed = [one.id for one in codes.list_contexts("python")]
    expect(context.id in listed and len(listed) == 2, True)
    begun = []

    def interrupt(event):
        begun.append(event.id)

    def on_stdout(_):
        codes.interrupt(begun[0])

    ran = codes.run("import time\nprint('on', flush=True)\ntime.sleep(1000)", context=context,
                    handlers=ExecutionHandlersSync(on_init=interrupt, on_stdout=on_stdout))
    expect(ran.error.name, "KeyboardInterrupt")
    expect(codes.run("'alive'", context=context).result[0].text, "'alive'")
    codes.delete_context(context.id)
    refused(lambda: codes.get_context(context.id), status=404)
    codes.delete_contexts("javascript")
    expect(codes.list_contexts("javascript"), [])
    refused(lambda: codes.create_context("cobol"), status=400)
    interpreter.close()
    sandbox.kill()


def others():
    sandbox = create()
    run = sandbox.commands.run
    figures = sandbox.get_metrics()
    usage = REST.get(f"/sessions/{sandbox.id}/usage")
    expect(figures.memory_total_in_mib, usage["memory_limit_mb"])
    expect(0 < figures.memory_used_in_mib < figures.memory_total_in_mib, True)
    expect(figures.cpu_count, 0.5)

    run("mkdir -p /workspace/www && echo served > /workspace/www/page", opts=RunCommandOpts())
    run("python3 -m http.server 8000 --bind 127.0.0.1 --directory /workspace/www", opts=RunCommandOpts(background=True))
    endpoint = sandbox.get_endpoint(8000)

    def fetch(headers):
        request = urllib.request.Request(f"http://{endpoint.endpoint}/page", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    until(lambda: fetch(endpoint.headers) == b"served\n", "the server inside")
    expect(fetch({}), 401)
    expect(fetch({"X-EXECD-ACCESS-TOKEN": next(iter(endpoint.headers.values()))[:-1] + "x"}), 401)
    other = create()
    expect(fetch(other.get_endpoint(8000).headers), 401)
    other.kill()
    refused(lambda: sandbox.get_signed_endpoint(8000, int(time.time()) + 60), status=400)

    run("echo kept > /workspace/kept")
    refused(lambda: sandbox.files_with_identity(0, 0).read_file("/workspace/kept"), status=501)
    expect(sandbox.origin, "unknown")
    with SandboxManagerSync.create(connection()) as manages:
        taken = sandbox.create_snapshot("first")
        expect((taken.sandbox_id, taken.name, taken.status.state), (sandbox.id, "first", "Ready"))
        expect(taken.id in [one["id"] for one in REST.get("/snapshots")["snapshots"]], True)
        expect(manages.get_snapshot(taken.id).name, "first")
        listed = manages.list_snapshots(SnapshotFilter(sandbox_id=sandbox.id))
        expect([one.id for one in listed.snapshot_infos], [taken.id])
        restored = SandboxSync.create(snapshot_id=taken.id, connection_config=connection())
        expect(restored.files.read_file("/workspace/kept"), "kept\n")
        expect(restored.get_info().snapshot_id, taken.id)
        restored.kill()
        manages.delete_snapshot(taken.id)
        refused(lambda: manages.get_snapshot(taken.id), status=404)
        refused(lambda: manages.get_diagnostic_logs("none", "all"), status=404)

    run("echo for the log; exit 9")
    logs = sandbox.get_diagnostic_logs("container")
    expect(("for the log\n" in logs.content, "exit code 9" in logs.content, logs.delivery), (True, True, "inline"))
    expect("for the log" in REST.get(f"/sessions/{sandbox.id}/diagnostics")["log"], True)
    events = sandbox.get_diagnostic_events("lifecycle")
    expect("execution_started" in events.content and "Running" in events.content, True)

    policy = sandbox.get_egress_policy()
    expect((policy.default_action, policy.egress), ("deny", []))
    expect(REST.get(f"/sessions/{sandbox.id}/network")["policy"]["default"], "deny")
    # What this backend cannot enforce is refused, and nothing else says that it holds.
    rule = NetworkRule(action="allow", target="example.org")
    try:
        sandbox.patch_egress_rules([rule])
        expect([one.target for one in sandbox.get_egress_policy().egress], ["example.org"])
        expect([one["target"] for one in REST.get(f"/sessions/{sandbox.id}/network")["policy"]["rules"]], ["example.org"])
        sandbox.delete_egress_rules(["example.org"])
    except SandboxApiException as error:
        expect(error.status_code in (400, 403), True)
    expect(sandbox.get_egress_policy().egress, [])
    try:
        guarded = create(network_policy=NetworkPolicy(default_action="deny", egress=[rule]))
        expect([one["target"] for one in REST.get(f"/sessions/{guarded.id}/network")["policy"]["rules"]], ["example.org"])
        guarded.kill()
    except SandboxApiException as error:
        expect(error.status_code in (400, 403), True)

    for unsupported in (sandbox.credential_vault.get, sandbox.isolation.list):
        try:
            unsupported()
        except SandboxException:
            continue
        raise SystemExit("it was not refused")
    expect(sandbox.isolation.capabilities().available, False)
    sandbox.destroy()
    expect(REST.get(f"/sessions/{sandbox.id}")["status"], "terminated")


def pool():
    """Their pool keeps sandboxes ready on the client's side."""
    store = InMemoryPoolStateStore()
    keeper = SandboxPoolSync(pool_name="tests", max_idle=2, state_store=store, connection_config=connection(),
                             creation_spec=PoolCreationSpec(image=IMAGE, metadata={"pool": "p"}),
                             warmup_health_check_polling_interval=timedelta(milliseconds=20))
    keeper.start()
    of_pool = "/sessions?label=pool=p&status=ready,running"
    until(lambda: keeper.snapshot().idle_count == 2, "two idle sandboxes")
    taken = keeper.acquire()
    expect(lines(taken.commands.run("echo pooled").logs.stdout), ["pooled"])
    expect(taken.id in [one["id"] for one in REST.get(of_pool)["sessions"]], True)
    taken.kill()
    keeper.resize(0)
    keeper.release_all_idle()
    keeper.shutdown()
    until(lambda: REST.get(of_pool)["sessions"] == [], "the end of the pool")


def asynchronous():
    async def drive():
        config = ConnectionConfig(domain=URL.removeprefix("http://"), api_key=KEY)
        sandbox = await Sandbox.create(IMAGE, connection_config=config)
        ran = await asyncio.gather(*(sandbox.commands.run(f"echo {n}; exit {n}") for n in range(6)))
        expect([(lines(one.logs.stdout), one.exit_code) for one in ran], [([str(n)], n) for n in range(6)])
        await sandbox.files.write_file("/workspace/a", "b")
        expect(REST.file(sandbox.id, "a")[0], b"b")
        await sandbox.kill()
        await sandbox.close()

    asyncio.run(drive())


def proxied():
    """With the key instead of the endpoint's own headers, and bodies with a length."""
    sandbox = SandboxSync.create(IMAGE, connection_config=connection(use_server_proxy=True))
    sandbox.files.write_files([WriteEntry(path="/workspace/a", data="1"), WriteEntry(path="/workspace/b", data=b"2")])
    expect((REST.file(sandbox.id, "a")[0], REST.file(sandbox.id, "b")[0]), (b"1", b"2"))
    expect(lines(sandbox.commands.run("cat a b").logs.stdout), ["12"])
    sandbox.kill()


def measure():
    sandbox = create()
    times = []
    for _ in range(ROUNDS):
        began = time.monotonic()
        sandbox.commands.run("echo")
        times.append((time.monotonic() - began) * 1000)
    sandbox.kill()
    print(json.dumps({"run_p50_ms": statistics.median(times), "run_max_ms": max(times)}))


if __name__ == "__main__":
    {part.__name__: part for part in (lifecycle, manager, commands, files, code, others, pool, asynchronous, proxied,
                                      measure)}[sys.argv[3]]()
