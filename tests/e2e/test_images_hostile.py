"""Archives that lie, imports that end in the middle, and the process that reads such archives."""

import contextlib
import ctypes
import gzip
import io
import json
import os
import pathlib
import resource
import signal
import subprocess
import tarfile
import time

import image_archives as make
import support
from image_archives import Tar, layer
from image_case import ImageCase
from server import until


class Hostile(ImageCase):
    """Archives that lie: refused with a code, and nothing is left."""

    def refused_layer(self, tar, code="invalid_argument", says=""):
        self.refused(make.docker([tar.done()]), code, says)

    def test_paths_that_leave(self):
        self.refused_layer(Tar().add("/etc/evil", b"1"), says="absolute")
        self.refused_layer(Tar().add("../evil", b"1"), says="..")
        self.refused_layer(Tar().add("a/../../evil", b"1"), says="..")
        self.refused_layer(Tar().folder("../evil"), says="..")
        self.refused_layer(Tar().add("../.wh.evil"), says="..")

    def test_links_that_leave(self):
        self.refused_layer(Tar().symlink("out", "../../etc").add("out/evil", b"1"), says="link")
        self.refused_layer(Tar().symlink("d/out", "../../../etc"), says="link")
        self.refused_layer(Tar().hardlink("evil", "/etc/passwd"), says="absolute")
        self.refused_layer(Tar().hardlink("evil", "../../etc/passwd"), says="..")
        self.refused_layer(Tar().hardlink("evil", "etc/passwd"), says="hard link")
        self.refused_layer(Tar().symlink("s", "/etc").hardlink("evil", "s/passwd"), says="hard link")

    def test_links_that_lead_nowhere(self):
        self.refused_layer(Tar().symlink("out", "/nowhere").add("out/evil", b"1"), says="link")

    def test_links_out_are_followed_inside_only(self):
        """An absolute link is legal; what is written through it lands in the layer, not on the host."""
        victim = self.folder / "victim"
        victim.mkdir()
        data = Tar().folder(str(victim)[1:]).symlink("out", str(victim)).add("out/evil", b"1").done()
        self.load_json(make.docker([data]))
        self.assertEqual(os.listdir(victim), [])
        self.assertEqual((self.tree(data) / str(victim)[1:] / "evil").read_bytes(), b"1")

    def test_device_nodes(self):
        self.refused_layer(Tar().add("sda", kind=tarfile.BLKTYPE), says="device")
        self.refused_layer(Tar().add("etc/mem", kind=tarfile.CHRTYPE), says="device")

    def test_owners_out_of_range(self):
        self.refused_layer(Tar().add("f", b"1", uid=70_000), says="65535")

    def test_folders_under_something_else(self):
        self.refused_layer(Tar().folder("d").add("d/f", b"1").add("d", b"2"))
        self.refused_layer(Tar().add("f", b"1").add("f/below", b"2"))
        self.refused_layer(Tar().symlink("loop", "loop").add("loop/f", b"2"))

    def test_names_that_are_too_long(self):
        self.refused_layer(Tar().add("x" * 300, b"1"))
        self.refused_layer(Tar().add("d/" * 300 + "f", b"1"), "too_large")
        self.refused_layer(Tar().add(("x" * 200 + "/") * 30 + "f", b"1"), "too_large")

    def test_wrong_digests(self):
        good = layer(a=b"1")
        # A layer that is not the one which the configuration means.
        self.refused(
            make.docker([good], change=lambda m: m.update({f"{0:064x}/layer.tar": layer(a=b"2")})),
            says="digest",
        )
        # A configuration that is not the one which its name means.
        self.refused(
            make.docker(
                [good],
                change=lambda m: m.update(
                    {k: v + b" " for k, v in m.items() if k.endswith(".json") and len(k) == 69}
                ),
            ),
            says="digest",
        )
        for part in ("config", "layers", "manifest"):
            blobs = make.Blobs()
            manifest = blobs.image([good])
            document = json.loads(blobs.members["blobs/sha256/" + manifest["digest"][7:]])
            digest = {"config": document["config"], "layers": document["layers"][0], "manifest": manifest}[
                part
            ]["digest"]
            blobs.members["blobs/sha256/" + digest[7:]] += b" " if part != "layers" else b"\0"
            self.refused(blobs.done(make.named(manifest, "a:1")))

    def test_a_packed_layer_with_the_right_content_in_the_wrong_blob(self):
        blobs = make.Blobs()
        manifest = blobs.image([layer(a=b"1")])
        path = (
            "blobs/sha256/"
            + json.loads(blobs.members["blobs/sha256/" + manifest["digest"][7:]])["layers"][0]["digest"][7:]
        )
        blobs.members[path] = gzip.compress(layer(a=b"1"), 1)  # unpacks to the same
        self.refused(blobs.done(make.named(manifest, "a:1")), says="digest")

    def test_cut_off(self):
        whole = make.docker([layer(a=b"1" * 30_000), layer(b=b"2" * 30_000)])
        for share in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9):
            self.refused(whole[: int(len(whole) * share)])
        packed = gzip.compress(whole)
        for share in (0.1, 0.5, 0.99):
            self.refused(packed[: int(len(packed) * share)])
        inner = make.docker([layer(a=os.urandom(30_000))], pack=lambda data: gzip.compress(data)[:-2000])
        self.refused(inner)

    def test_garbage(self):
        self.refused(b"")
        self.refused(b"\0" * 10_240)
        self.refused(os.urandom(50_000))
        self.refused(b"PK\x03\x04" + b"x" * 5000)
        self.refused(b"\x1f\x8b" + b"x" * 5000)
        self.refused(b"\x28\xb5\x2f\xfd" + b"x" * 5000)
        self.refused(layer(a=b"1"), says="not an image archive")
        self.refused(make.docker([b"not a tar at all" * 100]))
        self.refused(gzip.compress(gzip.compress(make.docker([layer(a=b"1")]))), says="more than once")

    def test_documents_that_make_no_sense(self):
        good = layer(a=b"1")

        def manifest(text):
            return make.docker([good], change=lambda members: members.update({"manifest.json": text}))

        for text in (
            b"",
            b"{}",
            b"[]",
            b"[1]",
            b"nonsense",
            b"[" * 100_000,
            b'[{"Config":1}]',
            b'[{"Config":"x"}]',
            b'[{"Config":"../x"}]',
            b'[{"Config":"x","Layers":"y"}]',
            b'[{"Config":"x","Layers":[1]}]',
        ):
            self.refused(manifest(text))
        self.refused(manifest(b'["' + b"x" * (5 << 20) + b'"]'), "too_large")
        for text in (
            b"[]",
            b"{}",
            b'{"manifests":{}}',
            b'{"manifests":[{}]}',
            b'{"manifests":[{"digest":"md5:1"}]}',
            b'{"manifests":[{"digest":"sha256:../../etc"}]}',
        ):
            blobs = make.Blobs()
            blobs.members["index.json"] = text
            self.refused(make.archive(blobs.members))
        self.refused(make.docker([good], rootfs={"diff_ids": []}))
        self.refused(make.docker([good], rootfs={"diff_ids": ["sha256:../../x"]}))
        self.refused(make.docker([good], config={"Env": "A=1"}))
        self.refused(make.docker([good], config={"Cmd": ["a\0b"]}))

    def test_layers_that_are_not_there(self):
        self.refused(
            make.docker([layer(a=b"1")], change=lambda members: members.pop(f"{0:064x}/layer.tar")),
            says="lacks",
        )
        self.refused(
            make.docker(
                [layer(a=b"1")],
                change=lambda m: m.update({f"{0:064x}/layer.tar": (f"../{0:064x}/layer.tar",)}),
            )
        )

    def test_members_that_come_twice(self):
        members = make.docker([layer(a=b"1")])
        with tarfile.open(fileobj=io.BytesIO(members)) as tar:
            again = {info.name: tar.extractfile(info).read() for info in tar}
        twice = Tar()
        for name, data in [*again.items(), ("manifest.json", again["manifest.json"])]:
            twice.add(name, data)
        self.refused(twice.done(), says="twice")

    def test_indexes_in_circles(self):
        """A digest cannot hold itself, so a circle is a wrong digest; a long chain is too deep."""
        blobs = make.Blobs()
        descriptor = make.named(blobs.image([layer(a=b"1")]), "a:1")
        for _ in range(10):
            descriptor = blobs.index_entry({"schemaVersion": 2, "manifests": [descriptor]}, "index.v1+json")
        self.refused(blobs.done(descriptor), says="deep")
        blobs = make.Blobs()
        loop = blobs.index_entry({"schemaVersion": 2, "manifests": []}, "index.v1+json")
        path = "blobs/sha256/" + loop["digest"][7:]
        blobs.members[path] = json.dumps({"schemaVersion": 2, "manifests": [loop]}).encode()
        self.refused(blobs.done(loop), says="digest")

    def test_other_machines(self):
        self.refused(make.docker([layer(a=b"1")], architecture="s390x"), "unsupported", "s390x")
        self.refused(make.docker([layer(a=b"1")], os="windows"), "unsupported", "windows")
        blobs = make.Blobs()
        self.refused(
            blobs.done(make.named(blobs.image([layer(a=b"1")]), "a:1", platform="s390x")), "unsupported"
        )


class Bombs(ImageCase):
    def test_too_much(self):
        archive = make.docker([layer(a=b"1" * 600_000), layer(b=b"2" * 600_000)])
        self.expect_failure(self.load(archive, "--max-size", "1m"), "too_large")
        self.assert_nothing_left()
        self.expect(self.load(archive, "--max-size", "2m"))

    def test_a_small_layer_that_grows(self):
        zeros = gzip.compress(Tar().add("zeros", b"\0" * (300 << 20)).done(), 9)
        self.refused(
            make.docker([b"x"], change=lambda members: members.update({f"{0:064x}/layer.tar": zeros})),
            "too_large",
            "times its size",
        )

    def test_a_sparse_file_that_says_to_be_large(self):
        path = self.folder / "huge"
        with open(path, "wb") as file:
            file.truncate(30 << 30)
        packed = subprocess.run(
            ["tar", "-C", self.folder, "--format=pax", "-S", "-cf", "-", "huge"],
            capture_output=True,
            check=True,
        )
        self.refused(make.docker([packed.stdout]), "too_large")

    def test_too_many_layers_and_images(self):
        self.refused(make.docker([layer((f"f{n}", b"1")) for n in range(129)]), "too_large")
        one = make.docker([layer(a=b"1")])
        with tarfile.open(fileobj=io.BytesIO(one)) as tar:
            members = {info.name: tar.extractfile(info).read() for info in tar}
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) * 100).encode()
        self.refused(make.archive(members))

    def test_128_layers_are_fine(self):
        self.load_json(make.docker([layer((f"f{n}", b"1")) for n in range(128)]))


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def only_waits(pid):
    """Whether a process has neither capabilities nor files, and sleeps."""
    fields = status_of(pid)
    return fields["State"][0] == "S" and int(fields["CapEff"][0], 16) == 0 and not os.listdir(f"/proc/{pid}/fd")


def status_of(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.split() for name, value in (line.split(":", 1) for line in lines)}


class Interrupted(ImageCase):
    """An import that ends in the middle: nothing visible, and no trace after the next one."""

    @contextlib.contextmanager
    def half_way(self):
        """An import that waits for the second half of its archive. Gives atoll and the pid of its helper."""
        archive = make.docker([layer(a=os.urandom(400_000))])
        command = [support.ATOLL, "image", "import", "-"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **self.env}
        ) as atoll:
            # More than a pipe holds: when this returns, somebody is reading.
            atoll.stdin.write(archive[: len(archive) // 2])
            atoll.stdin.flush()
            (outer,) = children_of(atoll.pid)
            (helper,) = children_of(outer)  # the first process of its namespace
            until(lambda: only_waits(outer), "it has put down its powers")  # which it does beside the helper's work
            self.assertEqual(len(self.entries("staging")), 1)
            yield atoll, helper
            atoll.stdin.close()
            atoll.stdin = None

    def wait_gone(self, pid):
        deadline = time.monotonic() + 30
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text():
                    return
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{pid}"), "the helper lives on")

    def test_signals_clean_up_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.half_way() as (atoll, _):
                atoll.send_signal(number)
                self.assertEqual(atoll.wait(30), 128 + number)
                self.assertIn(b"cancelled", atoll.stderr.read())
            self.assert_nothing_left()

    def test_the_helper_dies_with_atoll(self):
        with self.half_way() as (atoll, helper):
            atoll.kill()
            atoll.wait(30)
            self.wait_gone(helper)
        self.assertEqual(self.entries("manifests"), [])
        self.assertEqual(self.entries("layers"), [])
        self.load_json(make.docker([layer(b=b"1")]))
        self.assertEqual(self.entries("staging"), [])
        self.assertEqual(self.names(), ["test:latest"])

    def test_a_helper_that_is_killed(self):
        with self.half_way() as (atoll, helper):
            os.kill(helper, signal.SIGKILL)
            self.assertEqual(atoll.wait(30), 125)
            self.assertIn(b"internal", atoll.stderr.read())
        self.assert_nothing_left()

    def test_leftovers_of_a_crash_go_with_the_next_command(self):
        """As if the power had gone between moving the layers and writing the manifest."""
        self.load_json(make.docker([layer(a=b"1")]))
        os.unlink(self.data / "images/manifests/test%3Alatest.json")
        (self.data / "images/manifests/.new-x").write_text("{")
        (self.data / "images/staging/old/layers").mkdir(parents=True)
        self.load_json(make.docker([layer(b=b"1")], ["b:1"]))
        self.assertEqual(self.entries("layers"), [make.sha256(layer(b=b"1"))])
        self.assertEqual(self.entries("manifests"), ["b%3A1.json"])
        self.assertEqual(self.entries("staging"), [])

    def test_a_disk_that_is_full(self):
        """The file size limit stands in for it: no file may grow beyond 64 KiB."""
        archive = self.file("a.tar", make.docker([layer(a=b"1" * 500_000)]))
        outcome = self.image(
            "import", archive, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        )
        self.assertEqual(outcome.code, 125)
        self.assert_nothing_left()

    def test_the_helper_can_reach_nothing(self):
        with self.half_way() as (atoll, helper):
            fields = status_of(helper)
            self.assertEqual(fields["NoNewPrivs"], ["1"])
            self.assertEqual(fields["Seccomp"], ["2"])
            # CHOWN, DAC_OVERRIDE, FOWNER as root; none otherwise.
            self.assertEqual(int(fields["CapEff"][0], 16), 0b1011 if support.IS_ROOT else 0)
            self.assertEqual(int(fields["CapBnd"][0], 16) if support.IS_ROOT else 0, 0)
            self.assertEqual(os.listdir(f"/proc/{helper}/root"), [])  # its staging folder, still empty
            for kind in ("net", "mnt", "ipc", "pid"):
                self.assertNotEqual(
                    os.readlink(f"/proc/{helper}/ns/{kind}"), os.readlink(f"/proc/self/ns/{kind}")
                )
            self.assertEqual(sorted(map(int, os.listdir(f"/proc/{helper}/fd")))[:7], list(range(7)))
            atoll.kill()

    def test_the_helper_can_name_nobody(self):
        """Hijacked, it could signal or trace neither root's processes nor anybody else's."""
        with self.half_way() as (atoll, helper):
            fields = status_of(helper)
            self.assertEqual(fields["NSpid"][-1], "1")
            self.assertEqual(len(fields["NSpid"]), len(status_of(os.getpid())["NSpid"]) + 1)
            if support.IS_ROOT:
                self.assertEqual({*fields["Uid"], *fields["Gid"]}, {str(0x5FFE0000)})
                self.assertEqual(fields["Groups"], [])
            outer = status_of(int(fields["PPid"][0]))
            self.assertEqual(outer["Uid"], fields["Uid"])
            self.assertEqual(int(outer["CapEff"][0], 16), 0)  # it waits for the other
            self.assertEqual(outer["NoNewPrivs"], ["1"])
            self.assertEqual(os.listdir(f"/proc/{outer['Pid'][0]}/fd"), [])
            atoll.kill()

    def test_files_keep_their_owners(self):
        """As root: what the archive says, and root for what it does not speak of."""
        data = Tar().add("deep/er/file", b"1", uid=1234).add("deep/.wh.gone").folder("own", uid=77).done()
        self.load_json(make.docker([data]))
        tree = self.tree(data)
        owners = {"deep/er/file": 1234, "deep/gone": 0, "own": 77, "deep": 0, "deep/er": 0, ".": 0, "..": 0}
        for name, uid in owners.items():
            self.assertEqual((tree / name).lstat().st_uid, uid if support.IS_ROOT else os.getuid(), name)

    def test_root_needs_namespaces(self):
        """Landlock alone would leave root's helper with powers over processes and networks of the host."""
        if not support.IS_ROOT:
            return
        drop_bounding, sys_admin = 24, 21  # PR_CAPBSET_DROP, CAP_SYS_ADMIN
        archive = self.file("archive.tar", make.docker([layer(a=b"1")]))
        done = subprocess.run(
            [support.ATOLL, "image", "import", archive],
            capture_output=True,
            text=True,
            env={**os.environ, **self.env},
            preexec_fn=lambda: ctypes.CDLL(None).prctl(drop_bounding, sys_admin, 0, 0, 0),
        )
        self.assertNotEqual(done.returncode, 0, done)
        self.assertIn("in namespaces of their own", done.stderr)
        self.assert_nothing_left()

    def test_the_helper_explains_itself(self):
        done = subprocess.run([support.BIN / "atoll-unpack"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("atoll image import", done.stderr)


if __name__ == "__main__":
    support.main()
