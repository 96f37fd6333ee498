"""Drives an unmodified E2B SDK for Python against a server, call by call: calls.py [interpreter]. One JSON line
each, as calls.js. What a call changed is read back through Atoll's own REST API."""
import asyncio
import faulthandler
import io
import json
import os
import sys
import time
import traceback
import urllib.error
import urllib.request

faulthandler.dump_traceback_later(400, exit=True)  # a call that hangs

import e2b  # noqa: E402

INTERPRETER = sys.argv[1:] == ["interpreter"]
if INTERPRETER:
    from e2b_code_interpreter import Sandbox
else:
    from e2b import Sandbox

BASE, KEY, RUN = os.environ["E2B_API_URL"], os.environ["E2B_API_KEY"], os.environ["RUN"]
box = None


class Absent(Exception):
    pass


class Refused(Exception):
    pass


def same(found, wanted, what="it"):
    assert found == wanted, f"{what}: {found!r} instead of {wanted!r}"


def has(thing, *names):
    for name in names:
        if not hasattr(thing, name):
            raise Absent(name)


def fetch(method, url, body=None, headers=None):
    request = urllib.request.Request(url, body, headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.read()


def rest(method, where, body=None):
    status, text = fetch(method, BASE + "/api/v1" + where, None if body is None else json.dumps(body).encode(),
                         {"authorization": f"Bearer {KEY}", "content-type": "application/json", "prefer": "wait=30"})
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text.decode("utf-8", "replace")


def session(which=None):
    return rest("GET", f"/sessions/{which or box.sandbox_id}")[1]


def file(name):
    return fetch("GET", f"{BASE}/api/v1/sessions/{box.sandbox_id}/files/{name}",
                 headers={"authorization": f"Bearer {KEY}"})[1].decode()


def execute(command):
    return rest("POST", f"/sessions/{box.sandbox_id}/execute", {"command": command})[1]


def fails(call, *kinds):
    try:
        call()
    except (kinds or Exception) as error:
        return error
    raise AssertionError("it did not fail")


def until(condition, what):
    end = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.02)
    return found


def pages(paginator):
    found = []
    while paginator.has_next:
        found += paginator.next_items()
    return found


def create():
    global box
    box = Sandbox.create(timeout=120, metadata={"user": "a b&c=ü", "run": RUN}, envs={"FROM_CREATE": "yes"})
    row = session()
    same(row["labels"], {"user": "a b&c=ü", "run": RUN})
    same(row["config"]["timeout_seconds"], 120)


def info():
    found = box.get_info()
    same((found.sandbox_id, found.metadata["user"]), (box.sandbox_id, "a b&c=ü"))


def listing():
    query = getattr(e2b, "SandboxQuery")(metadata={"run": RUN, "user": "a b&c=ü"})
    same([one.sandbox_id for one in pages(Sandbox.list(query=query, limit=1))], [box.sandbox_id])
    other = getattr(e2b, "SandboxQuery")(metadata={"run": RUN + "-other"})
    same(pages(Sandbox.list(query=other)), [])


def set_timeout():
    box.set_timeout(300)
    from datetime import datetime, timezone

    end = datetime.fromisoformat(session()["expires_at"].replace("Z", "+00:00"))
    left = (end - datetime.now(timezone.utc)).total_seconds()
    assert 200 < left < 301, left


def connect():
    same(Sandbox.connect(box.sandbox_id).commands.run("echo again").stdout, "again\n")


def run():
    seen = []
    done = box.commands.run('echo out; echo err >&2; echo "$A $FROM_CREATE"; pwd', envs={"A": "given"}, cwd="/tmp",
                            on_stdout=seen.append)
    same((done.stdout, done.stderr, done.exit_code), ("out\ngiven yes\n/tmp\n", "err\n", 0))
    same("".join(seen), done.stdout)
    error = fails(lambda: box.commands.run("echo before; exit 7"), e2b.CommandExitException)
    same((error.exit_code, error.stdout), (7, "before\n"))


def run_timeout():
    fails(lambda: box.commands.run("sleep 600 & wait", timeout=0.5), e2b.TimeoutException)
    until(lambda: "sleep 600" not in execute("ps ax")["stdout"], "the command is killed")


def background():
    running = box.commands.run("exec sleep 60", background=True)
    assert any(one.pid == running.pid for one in box.commands.list())
    seen = rest("GET", f"/sessions/{box.sandbox_id}/processes")[1]["processes"]
    assert any(one["pid"] == running.pid for one in seen), seen
    assert running.kill()
    fails(running.wait)
    assert not box.commands.kill(running.pid)


def reconnect():
    running = box.commands.run("cat; echo over", background=True, **stdin())
    running.disconnect()
    again = box.commands.connect(running.pid)
    box.commands.send_stdin(running.pid, "through\n")
    for out, _, _ in again:
        same(out, "through\n")
        break
    assert box.commands.kill(running.pid)
    fails(lambda: box.commands.connect(999999), e2b.NotFoundException)


def stdin():
    import inspect

    return {"stdin": True} if "stdin" in inspect.signature(box.commands._start).parameters else {}


def send_stdin():
    running = box.commands.run('read line; echo "got $line"', background=True, **stdin())
    box.commands.send_stdin(running.pid, "a word\n")
    same(running.wait().stdout, "got a word\n")


def close_stdin():
    has(box.commands, "close_stdin")
    running = box.commands.run("cat; echo over", background=True, stdin=True)
    box.commands.send_stdin(running.pid, "a")
    box.commands.close_stdin(running.pid)
    same(running.wait().stdout, "aover\n")


def stream_input():
    has(box.commands, "stream_input")
    running = box.commands.run("cat", background=True, stdin=True)
    box.commands.stream_input(running.pid, ["one ", "two ", b"three"])
    box.commands.close_stdin(running.pid)
    same(running.wait().stdout, "one two three")


def pty():
    terminal = box.pty.create(size=e2b.PtySize(rows=25, cols=81), timeout=0)
    # Not while bash reads a line: readline then sets the size that it has read, and a new one is lost.
    box.pty.send_stdin(terminal.pid, b"exec sh -c 'stty size; echo re\"\"ady; read x; stty size; exit 3'\n")
    seen = b""
    for _, _, data in terminal:
        seen += bytes(data or b"")
        if b"ready" in seen:
            break
    assert b"25 81" in seen, seen
    box.pty.resize(terminal.pid, e2b.PtySize(rows=33, cols=99))
    box.pty.send_stdin(terminal.pid, b"\n")
    after = []
    error = fails(lambda: terminal.wait(on_pty=lambda data: after.append(bytes(data))), e2b.CommandExitException)
    same(error.exit_code, 3)
    assert b"33 99" in b"".join(after), after


def write_read():
    box.files.write("dir/a.txt", "text ü\n")
    same((file("dir/a.txt"), box.files.read("/home/user/dir/a.txt")), ("text ü\n", "text ü\n"))
    box.files.write("/tmp/empty", "")
    same(box.files.read("/tmp/empty"), "")
    data = bytes(range(256)) * 8192
    box.files.write("bytes", data)
    same(bytes(box.files.read("bytes", format="bytes")), data)
    box.files.write("stream", io.BytesIO(b"from a stream"))
    same((b"".join(box.files.read("stream", format="stream")), file("stream")), (b"from a stream", "from a stream"))
    fails(lambda: box.files.read("nowhere"), e2b.NotFoundException)


def write_many():
    entries = [{"path": "m1", "data": "one"}, {"path": "dir/m2", "data": "two"}]
    written = box.files.write_files(entries) if hasattr(box.files, "write_files") else box.files.write(entries)
    same([one.path for one in written], ["/home/user/m1", "/home/user/dir/m2"])
    same((file("m1"), file("dir/m2")), ("one", "two"))


def file_list():
    box.files.write("listed/deep/b", "b")
    box.files.write("listed/a", "aa")
    same([(one.name, one.type.value) for one in box.files.list("listed")], [("a", "file"), ("deep", "dir")])
    same([one.name for one in box.files.list("listed", depth=2)], ["a", "deep", "b"])
    same((box.files.exists("listed/a"), box.files.exists("nowhere")), (True, False))
    entry = box.files.get_info("listed/a")
    same((entry.size, entry.permissions, entry.owner), (2, "-rw-r--r--", "user"))


def make_move_remove():
    same((box.files.make_dir("made/by/me"), box.files.make_dir("made/by/me")), (True, False))
    box.files.write("old", "moved")
    same((box.files.rename("old", "made/new").path, file("made/new")), ("/home/user/made/new", "moved"))
    box.files.remove("made")
    same(execute("test -e made")["exit_code"], 1)


def watch():
    box.files.make_dir("watched/below")
    watcher = box.files.watch_dir("watched", recursive=True)
    execute("echo 1 > watched/one; echo 2 > watched/below/two; rm watched/one")
    seen = []

    def there():
        seen.extend((one.type.value, one.name) for one in watcher.get_new_events())
        return {("create", "one"), ("create", "below/two"), ("remove", "one")} <= set(seen)

    until(there, f"the changes: {seen}")
    watcher.stop()
    fails(lambda: box.files.watch_dir("nowhere"), e2b.NotFoundException)


def urls():
    url = box.upload_url("by-url", use_signature_expiration=10000)
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nuploaded\r\n--b--\r\n'
    same(fetch("POST", url, body, {"content-type": "multipart/form-data; boundary=b"})[0], 200)
    same(file("by-url"), "uploaded")
    same(fetch("GET", box.download_url("by-url", use_signature_expiration=10000)), (200, b"uploaded"))
    same(fetch("GET", url)[0], 401)


def metrics():
    has(box, "get_metrics")
    (one,) = box.get_metrics()
    assert one.mem_total > 100e6 and one.cpu_count >= 1, one


def pause():
    global box
    if not hasattr(box, "pause") and not hasattr(box, "beta_pause"):
        raise Absent("pause")
    box.files.write("/tmp/kept", "kept")
    (box.pause if hasattr(box, "pause") else box.beta_pause)()
    same(session()["status"], "paused")
    assert not box.is_running()
    box = Sandbox.connect(box.sandbox_id, timeout=200)
    same((session()["status"], box.files.read("/tmp/kept")), ("ready", "kept"))


def snapshot():
    has(box, "create_snapshot")
    box.files.write("in-snapshot", "yes")
    made = box.create_snapshot()
    copy = Sandbox.create(made.snapshot_id)
    same(copy.files.read("in-snapshot"), "yes")
    copy.kill()
    assert Sandbox.delete_snapshot(made.snapshot_id)
    same(rest("GET", f"/snapshots/{made.snapshot_id}")[0], 404)


def asynchronous():
    async def all_of_it():
        mine = await e2b.AsyncSandbox.create(metadata={"run": RUN + "-async"})
        try:
            results = await asyncio.gather(*(mine.commands.run(f"sleep 0.1; echo {i}") for i in range(12)))
            same([one.stdout for one in results], [f"{i}\n" for i in range(12)])
            await mine.files.write("a", "async")
            same(await mine.files.read("a"), "async")
            events = asyncio.Queue()
            handle = await mine.files.watch_dir("/home/user", on_event=events.put_nowait)
            await mine.files.write("b", "watched")
            event = await asyncio.wait_for(events.get(), 60)
            assert event.name, event
            await handle.stop()
        finally:
            await mine.kill()

    asyncio.run(all_of_it())


def fork():
    has(box, "fork")
    error = fails(lambda: box.fork())
    if "501" not in str(error):
        raise error
    raise Refused(str(error))


def kill():
    identity = box.sandbox_id
    running = box.commands.run("sleep 60", background=True, timeout=0)
    assert box.kill()
    same(session(identity)["status"], "terminated")
    fails(running.wait)
    assert not box.is_running()
    fails(lambda: box.commands.run("true"))
    fails(lambda: Sandbox.connect(identity))
    assert not box.kill()


def create_interpreter():
    global box
    box = Sandbox.create(metadata={"run": RUN})


def run_code():
    done = box.run_code("x = 20\nprint('prints ü')\nx + 1")
    same((done.text, "".join(done.logs.stdout), done.error), ("21", "prints ü\n", None))
    same(box.run_code("x * 2").text, "40")
    error = box.run_code("raise ValueError('wrong')").error
    same((error.name, error.value), ("ValueError", "wrong"))


def charts():
    done = box.run_code("import matplotlib.pyplot as plt\nplt.pie([1, 2], labels=['a', 'b'])\nplt.title('Pie')\nplt.show()")
    chart = next(one.chart for one in done.results if one.chart)
    same((chart.type.value, chart.title, [one.label for one in chart.elements]), ("pie", "Pie", ["a", "b"]))
    assert any(one.png for one in done.results)


def languages():
    same(box.run_code("6 * 7", language="javascript").text, "42")
    same("".join(box.run_code("echo $((6 * 7))", language="bash").logs.stdout), "42\n")
    same(box.run_code("import os; os.environ['GIVEN']", envs={"GIVEN": "it's"}).text, "it's")


def code_timeout():
    fails(lambda: box.run_code("import time\nwhile True: time.sleep(0.1)", timeout=0.7), e2b.TimeoutException)
    same(box.run_code("1 + 1").text, "2")


def contexts():
    context = box.create_code_context(cwd="/tmp", language="python")
    same(box.run_code("import os; os.getcwd()", context=context).text, "/tmp")
    same(box.run_code("'x' in globals()", context=context).text, "False")
    listed = rest("GET", f"/sessions/{box.sandbox_id}/contexts")[1]["contexts"]
    assert any(one["id"] == context.id for one in listed), listed
    if hasattr(box, "remove_code_context"):
        box.remove_code_context(context)
        fails(lambda: box.run_code("1", context=context))


def kill_interpreter():
    assert box.kill()


CALLS = {"Sandbox.create": create, "sandbox.get_info": info, "Sandbox.list": listing,
         "sandbox.set_timeout": set_timeout, "Sandbox.connect": connect, "commands.run": run,
         "commands.run (time-out)": run_timeout, "commands.run (background)": background,
         "commands.connect": reconnect, "commands.send_stdin": send_stdin, "commands.close_stdin": close_stdin,
         "commands.stream_input": stream_input, "pty.create, send_stdin, resize": pty,
         "files.write, read": write_read, "files.write_files": write_many, "files.list, exists, get_info": file_list,
         "files.make_dir, rename, remove": make_move_remove, "files.watch_dir": watch,
         "sandbox.upload_url, download_url": urls, "sandbox.get_metrics": metrics,
         "sandbox.pause, Sandbox.connect": pause, "sandbox.create_snapshot": snapshot, "AsyncSandbox": asynchronous,
         "sandbox.fork": fork, "sandbox.kill": kill}
CODE = {"Sandbox.create (interpreter)": create_interpreter, "run_code": run_code, "run_code (charts)": charts,
        "run_code (languages, envs)": languages, "run_code (time-out)": code_timeout,
        "create_code_context, remove": contexts, "sandbox.kill (interpreter)": kill_interpreter}


def main():
    failed = False
    for name, call in (CODE if INTERPRETER else CALLS).items():
        state, why = "works", None
        try:
            call()
        except (Absent, Refused) as error:
            state, why = type(error).__name__.lower(), str(error)
        except BaseException:
            state, why, failed = "fails", traceback.format_exc(), True
        print(json.dumps({"call": name, "state": state, "why": why}), flush=True)
        if box is None:
            break
    os._exit(failed)


main()
