"""Faults that are no scenario: keys of the user, threads, loops, sockets, big folders, logs."""
import asyncio
import io
import logging
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading

import pytest

import atoll


def sockets():
    """Of this process."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            found += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
        except OSError:
            pass
    return found


def test_ctrl_c_in_the_middle_of_a_stream_leaves_nothing():
    before, threads = sockets(), threading.enumerate()
    box = atoll.Sandbox.create()
    job = None
    with pytest.raises(KeyboardInterrupt):
        for event in box.stream(command="echo begun; sleep 1000"):
            job = event.data.get("execution_id", job)
            if event.type == "stdout":
                # It arrives while the next event is waited for.
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    box.job(job).cancel()
    box.end()
    for thread in threading.enumerate():
        if thread not in threads:
            thread.join(30)
    assert threading.enumerate() == threads
    assert sockets() == before


def test_a_cancelled_task_leaves_no_socket(run):
    async def main():
        async with atoll.AsyncAtoll() as client, await client.create() as box:
            begun = asyncio.Event()

            async def read():
                async with box.stream(command="echo begun; sleep 1000") as events:
                    async for event in events:
                        if event.type == "stdout":
                            begun.set()

            task = asyncio.ensure_future(read())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            for job in (await box.activity()).running:
                await box.job(job).cancel()

    before = sockets()
    run(main())
    assert sockets() == before


def test_a_stream_that_is_dropped_is_closed(box):
    before = sockets()
    for event in box.stream(command="echo begun; sleep 1000"):
        if event.type == "stdout":
            break
    del event
    assert sockets() <= before + 1


def test_two_threads_on_one_client(client):
    results, errors = {}, []

    def work(number):
        try:
            with client.create() as box:
                for turn in range(5):
                    box.files.write("f", f"{number} {turn}")
                    results[number, turn] = box.command("cat f").stdout
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert results == {(number, turn): f"{number} {turn}" for number in range(4) for turn in range(5)}


def test_two_event_loops_on_one_client():
    client = atoll.AsyncAtoll()
    found, errors = [], []

    async def main():
        async with await client.create() as box:
            for _ in range(3):
                found.append((await box.run("print(1)")).stdout)

    def work():
        try:
            asyncio.run(main())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(main())  # and a third, later
    asyncio.run(client.aclose())
    assert errors == []
    assert found == ["1\n"] * 9


def test_a_client_that_was_closed(client):
    client.close()
    with pytest.raises(atoll.SandboxError) as caught:
        client.health()
    assert caught.value.code == "client_closed"


def test_map_ends_with_the_first_error(client):
    begun = []

    def work(box, number):
        begun.append(number)
        if number == 0:
            raise ValueError("no")
        return number

    with pytest.raises(ValueError, match="no"):
        client.map(work, range(100), parallel=2, template="shell-default")
    assert len(begun) < 100


def test_no_server_says_how_to_start_one():
    with pytest.raises(atoll.ConnectionFailedError) as caught:
        atoll.Atoll(os.environ["ATOLL_DEAD_URL"], retries=0).health()
    assert "atoll serve" in caught.value.detail


def test_nothing_secret_is_logged(caplog, monkeypatch):
    key = os.environ["ATOLL_API_KEY"]
    with caplog.at_level(logging.DEBUG):
        with atoll.Atoll() as client, client.create(env={"PASSWORD": "hunter2"}) as box:
            box.run("pass", env={"TOKEN": "hunter3"})
            client.secrets.put("s", "hunter4")
            client.secrets.delete("s")
            shown = repr(client) + repr(box) + repr(client._transport.options)
    text = caplog.text + shown
    assert "POST /api/v1/sessions 201" in text
    for secret in (key, "hunter2", "hunter3", "hunter4"):
        assert secret not in text


def test_names_that_are_no_utf8(box, tmp_path):
    """The server takes none, and says so; those that a sandbox made come out as they are."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/first").touch()
    with open(os.fsencode(tmp_path) + b"/in/caf\xe9", "w", encoding="utf-8"):
        pass
    with pytest.raises(atoll.SandboxError) as caught:
        box.files.upload(tmp_path / "in", "names")
    assert caught.value.code == "invalid_argument"
    assert not box.files.exists("names/first")
    with pytest.raises(atoll.InvalidRequestError):
        box.files.write(os.fsdecode(b"caf\xe9"), "x")
    assert box.command("mkdir made; cd made; printf x > caf$(printf '\\351'); printf y > b").exit_code == 0
    assert box.files.download("made", tmp_path / "out") == 2
    assert sorted(os.listdir(os.fsencode(tmp_path / "out"))) == [b"b", b"caf\xe9"]
    assert len(list(box.files.list("made"))) == 2


def test_ten_thousand_files(box, tmp_path):
    for folder in range(10):
        (tmp_path / "in" / str(folder)).mkdir(parents=True)
        for number in range(1000):
            (tmp_path / "in" / str(folder) / str(number)).write_bytes(b"%d" % number)
    assert box.files.upload(tmp_path / "in", "many") == 10000
    assert box.command("find many -type f | wc -l").stdout == "10000\n"
    assert box.files.download("many", tmp_path / "out") == 10000
    assert sum(1 for _ in box.files.list("many", depth=2)) == 10010


def test_folders_keep_modes_links_and_empty_folders(box, tmp_path):
    source = tmp_path / "in"
    (source / "empty").mkdir(parents=True)
    (source / "run").write_text("#!/bin/sh\necho ran\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("run")
    assert box.files.upload(source, "x") == 1
    assert box.command("x/link; ls -d x/empty").stdout == "ran\nx/empty\n"
    box.files.download("x", tmp_path / "out")
    assert (tmp_path / "out/run").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "out/link").readlink() == pathlib.Path("run")
    assert (tmp_path / "out/empty").is_dir()


def test_a_source_that_cannot_be_read_again(faulty):
    client, tell = faulty
    with client.create() as box:

        class Pipe(io.RawIOBase):
            content = io.BytesIO(b"x" * 100)

            def readable(self):
                return True

            def read(self, size=-1):
                return self.content.read(size)

        tell({"method": "PUT", "do": "lose"})
        with pytest.raises(atoll.ConnectionFailedError):
            box.files.write("f", Pipe())
        Pipe.content.seek(0)
        assert box.files.write("f", Pipe()).size == 100
        with pytest.raises(atoll.SandboxError):
            box.files.write("f", io.StringIO("text"))


def test_a_file_that_shrinks_meanwhile(box, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"x" * 5_000_000)
    with pytest.raises(atoll.SandboxError) as caught, open(path, "rb") as file:
        box.files.write("f", file, progress=lambda done, total: os.truncate(path, 2_000_000))
    assert caught.value.code == "invalid_argument"
    assert not box.files.exists("f")


def test_a_server_that_answers_rubbish():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def serve():
            for _ in range(2):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(atoll.ConnectionFailedError):
            atoll.Atoll(f"http://127.0.0.1:{listening.getsockname()[1]}", retries=1).health()
        thread.join()


LOCAL = """
import os, signal, sys
from atoll import Sandbox, local_server
box = Sandbox.local()
print(box.run("print(6 * 7)").stdout.strip(), flush=True)
print(local_server().url, flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_a_local_server_ends_with_its_process(end):
    environment = {name: value for name, value in os.environ.items() if name not in ("ATOLL_URL", "ATOLL_API_KEY")}
    process = subprocess.Popen([sys.executable, "-c", LOCAL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=environment)
    assert process.stdout.readline() == "42\n"
    port = int(process.stdout.readline().rsplit(":", 1)[1])
    socket.create_connection(("127.0.0.1", port), 30).close()
    if end == "exit":
        process.communicate("\n", timeout=90)
    else:
        process.kill()
        process.communicate()
    for _ in range(6000):
        try:
            socket.create_connection(("127.0.0.1", port), 30).close()
        except ConnectionRefusedError:
            break
        threading.Event().wait(0.01)
    else:
        pytest.fail("the server outlived its process")


def test_a_local_server_without_the_program(monkeypatch, tmp_path):
    import atoll._local

    monkeypatch.setenv("ATOLL_BIN", str(tmp_path))
    with pytest.raises(atoll.SandboxError) as caught:
        atoll._local.find_atoll()
    assert caught.value.code == "atoll_not_installed"
