"""Parts that need no server."""
import datetime
import io
import os
import struct
import tarfile
import time
from email.utils import formatdate

import pytest

import atoll
from atoll._errors import error_of, seconds_of
from atoll._events import EventParser
from atoll._folders import LocalFile, batches, look_at, multipart, stays_inside, unpack
from atoll._frames import BINARY, CLOSE, PING, FrameReader, accept_of, frame
from atoll._json import time_of
from atoll._models import Session, SessionState
from atoll._options import Deadline, Options, file_path, pause_before


def events(*pieces):
    parser = EventParser()
    return [(event.type, dict(event.data), event.id) for piece in pieces for event in parser.feed(piece)]


def test_events_come_in_any_pieces():
    text = b': alive\n\nevent: stdout\nid: 1\ndata: {"text": "a\\n"}\n\nevent: stdout\nid: 2\ndata: {"te'
    rest = b'xt": "\xc3\xbc"}\n\n'
    wanted = [("stdout", {"text": "a\n"}, "1"), ("stdout", {"text": "ü"}, "2")]
    assert events(text, rest) == wanted
    assert events(*(bytes([byte]) for byte in text + rest)) == wanted


def test_an_event_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("atoll._events.MAX_EVENT", 1000)
    with pytest.raises(atoll.SandboxError) as caught:
        events(b"data: " + b"x" * 2000)
    assert caught.value.code == "unexpected_answer"


def unmasked(data):
    """What a server would send: the same frame without its mask."""
    size = data[1] & 0x7F
    at = {126: 4, 127: 10}.get(size, 2)
    body = bytes(byte ^ data[at + i % 4] for i, byte in enumerate(data[at + 4:]))
    return bytes([data[0], size]) + data[2:at] + body


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65535, 65536, 100000])
def test_frames_of_all_sizes(size):
    content = os.urandom(size)
    sent = unmasked(frame(BINARY, content))
    reader = FrameReader()
    assert [found for piece in (sent[:3], sent[3:]) for found in reader.feed(piece)] == [(BINARY, content)]


def test_frames_in_parts_with_a_ping_between():
    whole = struct.pack("!BB", 0x02, 2) + b"ab" + unmasked(frame(PING, b"p")) + struct.pack("!BB", 0x80, 1) + b"c"
    reader = FrameReader()
    assert [found for byte in whole for found in reader.feed(bytes([byte]))] == [(PING, b"p"), (BINARY, b"abc")]
    assert list(reader.feed(unmasked(frame(CLOSE, b"")))) == [(CLOSE, b"")]


def test_frames_that_are_none_are_refused():
    for wrong in (b"\xf2\x00", b"\x82\x80", struct.pack("!BBQ", 0x82, 127, 1 << 40)):
        with pytest.raises(atoll.SandboxError):
            list(FrameReader().feed(wrong))


def test_the_accept_field_of_the_protocols_own_example():
    assert accept_of("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def test_retry_after():
    assert seconds_of("3") == 3
    assert seconds_of("-3") == 0
    assert 50 < seconds_of(formatdate(time.time() + 60)) <= 60
    assert seconds_of("soon") is None
    assert seconds_of(None) is None
    assert 5 <= pause_before(0, 5) <= 5.1
    assert all(0.1 <= pause_before(0, None) <= 0.2 for _ in range(50))
    assert pause_before(50, None) <= 8


@pytest.mark.parametrize(("text", "micro"), [("2026-01-02T03:04:05Z", 0), ("2026-01-02T03:04:05.1Z", 100000),
                                             ("2026-01-02T03:04:05.123456789Z", 123456)])
def test_times(text, micro):
    assert time_of(text) == datetime.datetime(2026, 1, 2, 3, 4, 5, micro, datetime.timezone.utc)


def test_what_a_newer_server_says_is_kept():
    data = {name: "x" for name in ("id", "session_id", "template_id", "runtime_node", "backend", "workspace")}
    data |= {"status": "sleeping", "config": {}, "labels": {}, "metadata": {}, "isolation": {"layers": [], "missing": []},
             "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z", "session_key": None,
             "expires_at": None, "mood": "good"}
    session = Session.from_json(data)
    assert session.status == "sleeping"
    assert session.raw["mood"] == "good"
    assert SessionState.of("ready") is SessionState.READY


def test_an_answer_that_is_not_ours():
    error = error_of(502, b"<html>", {}, "/api/v1/health")
    assert isinstance(error, atoll.ServerError)
    assert (error.code, error.status) == ("unexpected_answer", 502)
    assert error_of(409, b'{"code": "conflict"}', {}, "/api/v1/sessions/x/execute").__class__ is atoll.SandboxNotStartedError
    assert error_of(409, b'{"code": "conflict"}', {}, "/api/v1/secrets/x").__class__ is atoll.ConflictError
    assert error_of(400, b"[1]", {}, "/").code == "unexpected_answer"


def test_the_hierarchy_of_the_first_client():
    for name in ("SandboxNotStartedError", "SandboxDisabledError", "SandboxExecutionError", "UnsupportedBackendError"):
        assert issubclass(getattr(atoll, name), atoll.SandboxError)


def test_names_cannot_lead_up():
    assert file_path("s", "../x/./y") == "/api/v1/sessions/s/files/%2E%2E/x/%2E/y"
    assert file_path("s", os.fsdecode(b"\xff b")) == "/api/v1/sessions/s/files/%FF%20b"


def test_options(monkeypatch):
    for name in ("ATOLL_URL", "ATOLL_SERVER", "ATOLL_API_KEY", "ATOLL_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert Options.make().url == "http://127.0.0.1:8080"
    monkeypatch.setenv("ATOLL_URL", "https://one/")
    monkeypatch.setenv("ATOLL_API_KEY", "a secret")
    options = Options.make()
    assert options.url == "https://one"
    assert options.all_headers()["authorization"] == "Bearer a secret"
    assert "secret" not in repr(options)
    assert Options.make("unix:///run/atoll.sock").socket == "/run/atoll.sock"
    with pytest.raises(atoll.SandboxError):
        Options.make("ftp://x")


def test_deadlines():
    assert Deadline(None).within(5) == 5
    assert Deadline(1).within(5) <= 1
    with pytest.raises(TimeoutError):
        Deadline(0).within(5)


def test_batches_are_small_and_of_one_mode():
    files = [LocalFile(f"f{n}", "", 1, 0o755 if n % 2 else 0o644) for n in range(2000)]
    made = list(batches(files))
    assert sum(len(batch) for _, batch in made) == 2000
    assert all(len(batch) <= 500 and {file.mode for file in batch} == {mode} for mode, batch in made)


def test_a_folder_is_looked_at(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/f").write_text("12345")
    (tmp_path / "a/l").symlink_to("f")
    (tmp_path / "ü").touch()
    found = look_at(str(tmp_path))
    assert [(file.name, file.size) for file in found.files] == [("a/f", 5), ("ü", 0)]
    assert (found.empty, found.links, found.size) == (["a/b"], [("a/l", "f")], 5)
    told = []
    assert b"filename*=UTF-8''%C3%BC\r\n" in b"".join(multipart(found.files, told.append))
    assert told == [5]
    (tmp_path / "out").symlink_to("/etc")
    with pytest.raises(atoll.SandboxError):
        look_at(str(tmp_path))


def test_what_a_link_leads_to():
    assert stays_inside("a/l", "../b")
    assert not stays_inside("a/l", "../../b")
    assert not stays_inside("l", "/etc")


def archive(*members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.mode = kind, 0o4755
            if kind == tarfile.SYMTYPE:
                member.linkname = content
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    file.seek(0)
    return file


FILE, LINK, FOLDER = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE


def test_archives_are_unpacked(tmp_path):
    target = tmp_path / "out"
    assert unpack(archive(("d", FOLDER, b""), ("d/f", FILE, b"x"), ("l", LINK, "d/f")), str(target)) == 1
    assert (target / "l").read_bytes() == b"x"
    assert (target / "d/f").stat().st_mode & 0o7777 == 0o755  # no set-uid bit


@pytest.mark.parametrize("members", [
    [("../f", FILE, b"x")],
    [("/f", FILE, b"x")],
    [("a/../../f", FILE, b"x")],
])
def test_archives_cannot_lead_out(tmp_path, members):
    with pytest.raises(atoll.SandboxError):
        unpack(archive(*members), str(tmp_path / "out"))
    assert not (tmp_path / "f").exists()


def test_archives_cannot_write_through_links(tmp_path):
    (tmp_path / "victim").mkdir()
    target = tmp_path / "out"
    unpack(archive(("l", LINK, "../victim"), ("m", LINK, str(tmp_path / "victim"))), str(target))
    assert not (target / "l").is_symlink()
    (target / "here").symlink_to(tmp_path / "victim")
    with pytest.raises(atoll.SandboxError):
        unpack(archive(("here/f", FILE, b"x")), str(target))
    (target / "file").symlink_to(tmp_path / "victim/f")
    unpack(archive(("file", FILE, b"x")), str(target))
    assert list((tmp_path / "victim").iterdir()) == []
