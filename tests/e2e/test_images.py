"""atoll image import|ls|rm|inspect: what archives become on disk, and the store around them."""

import gzip
import json
import os
import stat
import subprocess
import tarfile
import threading

import image_archives as make
import support
from image_archives import Tar, layer
from image_case import ImageCase


class Formats(ImageCase):
    LAYERS = [layer(one=b"1"), layer(two=b"2")]

    def check(self, archive, *options, name="test:latest"):
        self.load_json(archive, *options)
        self.assertEqual(self.names(), [name])
        for number, data in enumerate(self.LAYERS):
            self.assertEqual(
                (self.tree(data) / ("one", "two")[number]).read_bytes(), b"12"[number : number + 1]
            )
        self.assertEqual(self.entries("staging"), [])

    def test_docker_save(self):
        self.check(make.docker(self.LAYERS))

    def test_docker_save_with_packed_layers(self):
        self.check(make.docker(self.LAYERS, pack=gzip.compress))

    def test_docker_save_with_a_layer_as_a_link(self):
        twice = [self.LAYERS[0], self.LAYERS[1], self.LAYERS[0]]
        paths = [f"{number:064x}/layer.tar" for number in range(3)]

        def link(members):
            members[paths[2]] = (f"../{paths[0]}",)

        self.check(make.docker(twice, change=link))
        inspected = json.loads(self.image("inspect", "test").out)
        # The same layer again hides its earlier self, and an overlay takes none twice.
        self.assertEqual(
            [one["diff_id"] for one in inspected["layers"]],
            ["sha256:" + make.sha256(self.LAYERS[1]), "sha256:" + make.sha256(self.LAYERS[0])],
        )

    def test_docker_save_of_today(self):
        blobs = make.Blobs()
        manifest = blobs.image(self.LAYERS, pack=lambda data: data)
        config = json.loads(blobs.members["blobs/sha256/" + manifest["digest"][7:]])["config"]["digest"][7:]
        blobs.members["manifest.json"] = json.dumps(
            [
                {
                    "Config": f"blobs/sha256/{config}",
                    "RepoTags": ["test:latest"],
                    "Layers": [f"blobs/sha256/{make.sha256(data)}" for data in self.LAYERS],
                }
            ]
        ).encode()
        self.check(blobs.done(manifest))

    def test_oci_layout(self):
        self.check(make.oci(self.LAYERS))

    def test_oci_layout_with_zstd_layers(self):
        self.check(make.oci(self.LAYERS, pack=make.zstd))

    def test_oci_index_of_several_machines(self):
        blobs = make.Blobs()
        mine = {**blobs.image(self.LAYERS), "platform": {"os": "linux", "architecture": make.HOST}}
        # The other machine's blobs are not even there.
        other = {**mine, "digest": "sha256:" + "0" * 64, "platform": {"os": "linux", "architecture": "s390x"}}
        about = {
            **mine,
            "digest": "sha256:" + "1" * 64,
            "annotations": {"vnd.docker.reference.type": "attestation-manifest"},
        }
        inner = blobs.index_entry({"schemaVersion": 2, "manifests": [other, about, mine]}, "index.v1+json")
        inner["annotations"] = {"io.containerd.image.name": "docker.io/" + "library/test:latest"}
        self.check(blobs.done(inner))

    def test_packed_archives(self):
        for pack in (gzip.compress, make.zstd):
            self.check(pack(make.docker(self.LAYERS)))

    def test_stdin(self):
        for pack in (bytes, gzip.compress):
            archive = pack(make.docker(self.LAYERS))
            self.expect(self.image("import", "-", stdin=archive))
            self.assertEqual(self.names(), ["test:latest"])

    def test_names(self):
        self.check(make.docker(self.LAYERS, names=None), "--name", "Own".lower(), name="own:latest")
        self.expect(self.image("rm", "own"))
        self.load_json(make.docker(self.LAYERS, names=["a:1", "registry.example:5000/team/b:2"]))
        self.assertEqual(self.names(), ["a:1", "registry.example:5000/team/b:2"])
        self.expect_failure(self.load(make.docker(self.LAYERS, names=None)), "invalid_argument")
        self.expect_failure(self.load(make.docker(self.LAYERS), "--name", "../x"), "invalid_argument")
        self.expect_failure(self.load(make.docker(self.LAYERS, names=["../../x:1"])), "invalid_argument")
        self.assertEqual(self.names(), ["a:1", "registry.example:5000/team/b:2"])

    def test_several_images_in_one_archive(self):
        blobs = make.Blobs()
        archive = blobs.done(
            make.named(blobs.image(self.LAYERS), "a:1"), make.named(blobs.image(self.LAYERS[:1]), "b:1")
        )
        self.expect_failure(self.load(archive, "--name", "c"), "invalid_argument")
        self.assert_nothing_left()
        report = self.load_json(archive)
        self.assertEqual(report["new_layers"], 2)
        self.assertEqual(self.names(), ["a:1", "b:1"])

    def test_configuration(self):
        config = {"Env": ["A=1"], "Entrypoint": ["/run"], "Cmd": ["x", "y"], "WorkingDir": "/w", "User": "me"}
        self.load_json(make.docker(self.LAYERS, config=config))
        found = json.loads(self.image("inspect", "test").out)
        self.assertEqual(
            found["config"],
            {"env": ["A=1"], "entrypoint": ["/run"], "cmd": ["x", "y"], "workdir": "/w", "user": "me"},
        )
        self.assertEqual(found["created"], "2024-05-06T07:08:09Z")
        self.assertEqual(json.loads(self.image("inspect", found["digest"]).out), found)
        self.assertEqual(json.loads(self.image("inspect", found["digest"][:15]).out), found)

    def test_text_output(self):
        outcome = self.expect(self.load(make.docker(self.LAYERS)))
        self.assertRegex(outcome.out, r"^imported test:latest: sha256:[0-9a-f]{12}, 2 layers, 2b\n$")
        self.assertEqual(outcome.err, "")
        listing = self.expect(self.image("ls")).out.splitlines()
        self.assertTrue(listing[0].startswith("NAME"), listing)
        self.assertTrue(listing[1].startswith("test:latest "), listing)


class Layers(ImageCase):
    """How entries of a layer look on disk."""

    def unpack(self, data):
        self.report = self.load_json(make.docker([data]))
        return self.tree(data)

    def test_files(self):
        tar = (
            Tar()
            .folder("d", mode=0o500)
            .add("d/f", b"content", mode=0o6751)
            .symlink("d/l", "/etc/hosts")
            .hardlink("h", "d/f")
        )
        tar.add("unlisted/parent/f", b"x").add("./dot/./f", b"y").add("bin-\u00fc\u2713", b"z")
        tree = self.unpack(tar.done())
        info = os.stat(tree / "d/f")
        self.assertEqual((tree / "d/f").read_bytes(), b"content")
        self.assertEqual(stat.S_IMODE(info.st_mode), 0o751)  # without set-user-id
        self.assertEqual(info.st_mtime, make.MTIME)
        self.assertEqual(info.st_nlink, 2)
        self.assertTrue(os.path.samefile(tree / "d/f", tree / "h"))
        self.assertEqual(os.readlink(tree / "d/l"), "/etc/hosts")
        self.assertEqual(os.lstat(tree / "d/l").st_mtime, make.MTIME)
        self.assertEqual(stat.S_IMODE(os.stat(tree / "d").st_mode), 0o500)
        self.assertEqual(os.stat(tree / "d").st_mtime, make.MTIME)
        self.assertEqual((tree / "unlisted/parent/f").read_bytes(), b"x")
        self.assertEqual((tree / "dot/f").read_bytes(), b"y")
        self.assertEqual((tree / "bin-\u00fc\u2713").read_bytes(), b"z")

    def test_owners(self):
        tree = self.unpack(
            Tar().add("a", b"1", uid=1000, gid=1001).folder("d", uid=7, gid=8).symlink("l", "a", uid=9).done()
        )
        found = [(info.st_uid, info.st_gid) for info in map(os.lstat, (tree / "a", tree / "d", tree / "l"))]
        me = (os.geteuid(), os.getegid())
        self.assertEqual(found, [(1000, 1001), (7, 8), (9, 0)] if support.IS_ROOT else [me] * 3)

    def test_whiteouts(self):
        tree = self.unpack(
            Tar()
            .folder("d")
            .add("d/.wh.gone")
            .add("o/.wh..wh..opq")
            .add("o/new", b"1")
            .folder("both")
            .add("both/f", b"1")
            .add(".wh.both")
            .add(".wh.file")
            .add("file", b"1")
            .done()
        )
        info = os.lstat(tree / "d/gone")
        self.assertTrue(stat.S_ISCHR(info.st_mode) and info.st_rdev == 0)
        self.assertEqual(os.getxattr(tree / "o", "user.overlay.opaque"), b"y")
        # What the layer itself brings stays; what lay below it does not.
        self.assertEqual(os.getxattr(tree / "both", "user.overlay.opaque"), b"y")
        self.assertEqual((tree / "both/f").read_bytes(), b"1")
        self.assertEqual((tree / "file").read_bytes(), b"1")
        self.assertEqual(sorted(os.listdir(tree)), ["both", "d", "file", "o"])

    def test_attributes(self):
        tree = self.unpack(
            Tar()
            .add(
                "f",
                b"1",
                pax={
                    "SCHILY.xattr.user.note": "kept",
                    "SCHILY.xattr.user.overlay.opaque": "y",
                    "SCHILY.xattr.security.capability": "x",
                    "SCHILY.xattr.trusted.a": "b",
                },
            )
            .done()
        )
        self.assertEqual(
            [name for name in os.listxattr(tree / "f") if name.startswith(("user.", "trusted."))],
            ["user.note"],
        )
        self.assertNotIn("security.capability", os.listxattr(tree / "f"))
        self.assertEqual(os.getxattr(tree / "f", "user.note"), b"kept")
        self.assertEqual(self.report["dropped_xattrs"], 3)

    def test_nodes_below_dev_are_left_out(self):
        tree = self.unpack(
            Tar()
            .folder("dev")
            .add("dev/null", kind=tarfile.CHRTYPE)
            .add("dev/sda", kind=tarfile.BLKTYPE)
            .add("run/pipe", kind=tarfile.FIFOTYPE)
            .add("f", b"1")
            .done()
        )
        self.assertEqual(self.report["skipped_nodes"], 3)
        self.assertEqual(os.listdir(tree / "dev"), [])
        self.assertEqual((tree / "f").read_bytes(), b"1")

    def test_links_to_folders_inside(self):
        """Real images have bin -> usr/bin and then bin/x; absolute links start at the layer's own root."""
        tree = self.unpack(
            Tar()
            .folder("usr")
            .folder("usr/bin")
            .symlink("bin", "usr/bin")
            .add("bin/x", b"1")
            .symlink("lib", "/usr/lib")
            .folder("usr/lib")
            .add("lib/y", b"2")
            .symlink("etc", "/etc")
            .done()
        )
        self.assertEqual((tree / "usr/bin/x").read_bytes(), b"1")
        self.assertEqual((tree / "usr/lib/y").read_bytes(), b"2")
        self.assertTrue((tree / "bin").is_symlink() and (tree / "lib").is_symlink())

    def test_later_entries_replace_earlier_ones(self):
        tree = self.unpack(
            Tar()
            .add("a", b"1")
            .add("a", b"22")
            .symlink("b", "a")
            .add("b", b"3")
            .folder("c")
            .symlink("c", "a")
            .done()
        )
        self.assertEqual((tree / "a").read_bytes(), b"22")
        self.assertEqual((tree / "b").read_bytes(), b"3")
        self.assertEqual(os.readlink(tree / "c"), "a")

    def test_sparse_files(self):
        path = self.folder / "sparse"
        with open(path, "wb") as file:
            file.write(b"begin")
            file.truncate(8 << 20)
        packed = subprocess.run(
            ["tar", "-C", self.folder, "--format=pax", "-S", "-cf", "-", "sparse"],
            capture_output=True,
            check=True,
        )
        tree = self.unpack(packed.stdout)
        info = os.stat(tree / "sparse")
        self.assertEqual(info.st_size, 8 << 20)
        self.assertLess(info.st_blocks * 512, 1 << 20)
        self.assertEqual((tree / "sparse").read_bytes(), b"begin".ljust(8 << 20, b"\0"))


class Store(ImageCase):
    A, B, C = (layer((name, name.encode())) for name in "abc")

    def test_layers_are_shared_and_go_with_their_last_image(self):
        self.assertEqual(self.load_json(make.docker([self.A, self.B], ["one:1"]))["new_layers"], 2)
        self.assertEqual(self.load_json(make.docker([self.A, self.C], ["two:1"]))["new_layers"], 1)
        self.assertEqual(len(self.entries("layers")), 3)
        self.assertIn("removed one:1", self.expect(self.image("rm", "one:1")).out)
        self.assertEqual(self.entries("layers"), sorted(map(make.sha256, (self.A, self.C))))
        self.expect(self.image("rm", "-o", "json", "two:1"), out='{"removed":["two:1"]}\n')
        self.assert_nothing_left()

    def test_a_name_that_moves_to_another_image(self):
        self.load_json(make.docker([self.A]))
        self.load_json(make.docker([self.B]))
        self.assertEqual(self.entries("layers"), [make.sha256(self.B)])
        self.assertEqual(self.names(), ["test:latest"])

    def test_what_is_not_there(self):
        for words in (["rm", "nothing"], ["inspect", "nothing"], ["inspect", "sha256:" + "0" * 64]):
            self.expect_failure(self.image(*words), "not_found")
        self.expect_failure(self.image("import", self.folder / "nothing.tar"), "not_found")
        self.assertEqual(self.names(), [])

    def test_nonsense(self):
        for words in (
            [],
            ["imprt"],
            ["import"],
            ["import", "a", "b"],
            ["ls", "x"],
            ["rm"],
            ["inspect"],
            ["inspect", "A B"],
            ["ls", "--frobnicate"],
            ["import", "--max-size", "x", "y"],
            ["rm", "../x"],
        ):
            self.expect_failure(self.image(*words), "invalid_argument")
        self.assertIn("did you mean image import?", self.image("imprt").err)
        self.assertIn('"code":"invalid_argument"', self.image("rm", "-o", "json", "../x").out)
        self.expect_failure(self.image("import", self.folder), "invalid_argument")
        self.assert_nothing_left()

    def test_a_folder_that_others_can_write(self):
        self.names()
        os.chmod(self.data / "images", 0o777)
        self.expect_failure(self.image("ls"), "forbidden")

    def test_a_damaged_manifest_is_said_and_costs_no_layers(self):
        self.load_json(make.docker([self.A]))
        (self.data / "images/manifests/test%3Alatest.json").write_text("{")
        self.expect_failure(self.image("ls"), "io_error")
        self.expect_failure(self.load(make.docker([self.B], ["b:1"])), "io_error")
        self.assertIn(make.sha256(self.A), self.entries("layers"))

    def test_imports_side_by_side(self):
        archives = [
            self.file(f"{n}.tar", make.docker([self.A, layer((f"f{n}", b"1" * 50_000))], [f"i{n}:1"]))
            for n in range(6)
        ]
        results = []
        threads = [
            threading.Thread(target=lambda path=path: results.append(self.image("import", path)))
            for path in archives * 2
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for outcome in results:
            self.expect(outcome)
        self.assertEqual(self.names(), [f"i{n}:1" for n in range(6)])
        self.assertEqual(len(self.entries("layers")), 7)
        self.assertEqual(self.entries("staging"), [])

    def test_removals_beside_imports(self):
        path = self.file("a.tar", make.docker([self.A, self.B]))
        failures = []

        def bring_and_take():
            for _ in range(8):
                failures.extend(
                    o
                    for o in (self.image("import", path), self.image("rm", "test"))
                    if o.code and "not_found" not in o.err
                )

        threads = [threading.Thread(target=bring_and_take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.expect(self.image("import", path))
        self.assertEqual((self.tree(self.B) / "b").read_bytes(), b"b")


if __name__ == "__main__":
    support.main()
