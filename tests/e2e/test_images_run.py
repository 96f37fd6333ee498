"""atoll run --image, as root and as an ordinary user."""

import os
import pathlib
import shutil
import subprocess
import tarfile
import unittest

import image_archives as make
import support
from image_archives import Tar, layer
from image_case import ImageCase
from server import Server
from test_terminal import Terminal


class Run(ImageCase):
    """atoll run --image: the image and nothing else, behind the same walls."""

    # Variables of the image, of which one hides a default and one is asked for otherwise.
    CONFIG = {
        "Env": ["PATH=/bin", "COLOR=red", "SIZE=big", "HOME=/home/image"],
        "Entrypoint": ["/bin/sh", "-c"],
        "Cmd": ["echo own command in $PWD"],
        "WorkingDir": "/etc",
    }

    def add(self, *layers, name="test:latest", config=None):
        self.load_json(
            make.docker([make.busybox_layer(), *layers], [name], config=config or {"Env": ["PATH=/bin"]})
        )

    def run_in(self, *words, name="test", **more):
        return support.run("-q", "--image", name, *words, env=self.env, **more)

    def sh(self, script, *options, **more):
        return self.run_in(*options, "--", "sh", "-c", script, **more)

    def test_commands(self):
        self.add(config=self.CONFIG)
        self.expect(self.run_in(), out="own command in /etc\n")
        self.expect(self.run_in("--", "echo", "another"), out="another\n")
        self.expect(
            self.sh("echo $COLOR $SIZE $PATH $HOME; pwd", "-e", "SIZE=small", "--workdir", "/usr"),
            out="red small /bin /home/image\n/usr\n",
        )
        self.expect(self.sh("exit 7"), code=7)
        self.expect_failure(self.run_in("--", "no-such-program"), "program_not_found", 127)
        self.assertEqual(
            self.json("--image", "test", "-q", "--", "cat", "/etc/motd", env=self.env)["stdout"],
            "from the image\n",
        )

    def test_without_a_command_of_its_own(self):
        self.add()
        self.expect_failure(self.run_in(), "invalid_argument")

    def test_a_working_folder_that_is_not_there(self):
        self.add(config={**self.CONFIG, "WorkingDir": "/nowhere"})
        self.expect(self.run_in(), out="own command in /workspace\n")

    def test_wrong_names(self):
        self.expect_failure(self.run_in("--", "true", name="nothing"), "not_found")
        self.expect_failure(self.run_in("--", "true", name="../x"), "invalid_argument")
        self.load_json(make.docker([], ["empty:1"]))
        self.expect_failure(self.run_in("--", "true", name="empty:1"), "invalid_argument")
        self.add()
        self.expect_failure(self.run_in("--preload", "none", "--", "true"), "invalid_argument")

    def test_only_the_image_is_inside(self):
        self.add()
        names = set(self.expect(self.sh("ls -a /")).out.split()) - {".", ".."}
        self.assertEqual(
            names,
            {"bin", "dev", "etc", "home", "mnt", "opt", "proc", "root", "tmp", "usr", "var", "workspace"},
        )
        self.expect(self.sh("ls /usr /usr/bin /var"), out="/usr:\nbin\n\n/usr/bin:\n\n/var:\n")
        self.expect(
            self.sh(
                "cat /etc/motd; grep -c image /etc/passwd; grep -c localhost /etc/hosts; "
                "head -n 1 /etc/group"
            ),
            out="from the image\n1\n2\nroot:x:0:\n",
        )
        self.assertNotIn(str(self.data), self.expect(self.sh("cat /proc/self/mountinfo")).out)

    def test_what_can_be_written(self):
        self.add()
        self.expect(
            self.sh(
                "for d in / /bin /etc /usr /home/image /dev /opt /mnt /var; do "
                "touch $d/x 2>/dev/null && echo $d; done; "
                "chmod 700 /home/image 2>/dev/null && echo chmod; true"
            ),
            out="",
        )
        self.expect(
            self.sh(
                "for d in /workspace /tmp /dev/shm; do echo 1 > $d/x && cat $d/x; done; echo > /dev/null"
            ),
            out="1\n1\n1\n",
        )

    def test_a_writable_root(self):
        self.add(Tar().symlink("srv", "/home").folder("open", mode=0o777).done())
        for disk in ((), ("--disk", "1g")) if support.IS_ROOT else ((),):
            options = ("--writable-root", *disk)
            self.expect(
                self.sh(
                    "for d in / /etc /var /opt /home /open /usr /bin /dev /proc /mnt /opt/atoll; do "
                    "touch $d/x 2>/dev/null && echo -n $d ''; done; readlink /srv; "
                    "echo changed > /etc/motd 2>/dev/null || { rm /etc/motd && echo changed > /etc/motd; }; "
                    "cat /etc/motd; rm -r /home/image; ls /home",
                    *options,
                ),
                out="/ /etc /var /opt /home /open /home\nchanged\nx\n",
            )
            self.expect(self.sh("cat /etc/motd; ls /home", *options), out="from the image\nimage\n")

    def test_owners(self):
        self.add()
        self.expect(self.sh("cat /home/image/own; stat -c %u /home/image/own"), out="mine\n1000\n")
        if support.IS_ROOT:
            self.expect(
                self.sh("stat -c %u /etc/secret; cat /etc/secret 2>/dev/null || echo no"), out="0\nno\n"
            )

    def test_layers_hide_and_remove(self):
        self.add(
            Tar()
            .folder("d")
            .add("d/old", b"1")
            .add("d/stays", b"2")
            .add("both", b"3")
            .folder("opaque")
            .add("opaque/old", b"4")
            .folder("gone")
            .add("gone/x", b"5")
            .folder("again")
            .add("again/old", b"6")
            .done(),
            Tar()
            .folder("d")
            .add("d/.wh.old")
            .add("both", b"33")
            .folder("opaque")
            .add("opaque/.wh..wh..opq")
            .add("opaque/new", b"7")
            .add(".wh.gone")
            .add(".wh.again")
            .folder("again")
            .add("again/new", b"8")
            .done(),
        )
        self.expect(
            self.sh("ls /d /opaque /again; cat /both; ls /gone 2>/dev/null || echo gone"),
            out="/again:\nnew\n\n/d:\nstays\n\n/opaque:\nnew\n33gone\n",
        )

    def test_many_layers(self):
        self.add(*(layer((f"f{n}", str(n).encode())) for n in range(127)))
        self.expect(self.sh("cat /f0 /f126; ls / | grep -c '^f'"), out="0126127\n")

    def test_limits_and_walls(self):
        self.add()
        result = self.json("--image", "test", "-q", "--", "true", env=self.env)
        bare = self.json("-q", "--", "true", env=self.env)
        self.assertEqual(result["isolation"], bare["isolation"])
        self.expect(
            self.sh(
                "cat /proc/net/dev | wc -l; cat /proc/1/comm; ls -d /proc/[0-9]* | wc -l >/dev/null; id -u"
            ),
            out="3\natoll-guest\n1000\n",
        )
        self.assertEqual(self.sh("head -c 40000000 /dev/zero > /tmp/x", "--disk", "8m").code, 1)

    def test_mounts(self):
        self.add()
        (self.folder / "in").mkdir()
        self.file("in/f", "from the host\n")
        for target in ("/data", "/etc/conf.d", "/usr/share/deep/er", "/bin/in"):
            self.expect(
                self.sh(f"cat {target}/f; cat /etc/motd", "--mount", f"{self.folder}/in:{target}"),
                out="from the host\nfrom the image\n",
            )
        self.expect(
            self.sh("cat /etc/motd; ls /etc/passwd", "--mount", f"{self.folder}/in/f:/etc/motd"),
            out="from the host\n/etc/passwd\n",
        )

    def test_mounts_through_links_of_the_image(self):
        victim = self.folder / "victim"
        victim.mkdir(mode=0o777)
        victim.chmod(0o777)
        self.add(
            Tar()
            .symlink("way", str(victim))
            .symlink("lib", "usr/lib")
            .folder("usr/lib")
            .add("usr/lib/x", b"1")
            .symlink("magic", "/proc/self/root")
            .symlink("etc/end", "/etc/motd")
            .done()
        )
        self.file("f", "from the host\n")
        for target in ("/way/f", "/lib/f", "/magic/f"):
            self.expect_failure(self.sh("true", "--mount", f"{self.folder}/f:{target}"), "invalid_argument")
        self.assertEqual(os.listdir(victim), [])
        # A link at the very end is covered, not followed.
        self.expect(
            self.sh("cat /etc/end /etc/motd", "--mount", f"{self.folder}/f:/etc/end"),
            out="from the host\nfrom the image\n",
        )

    def test_policy(self):
        self.add(
            Tar()
            .folder("keys")
            .add("keys/a.key", b"secret\n")
            .add("keys/b.txt", b"open\n")
            .symlink("way", "other")
            .symlink("other", "/var/../keys")
            .done()
        )
        for rule in ("/way/*.key", "/o*r/a.key"):
            self.expect(self.sh("cat /keys/a.key 2>/dev/null || echo denied", "--deny-read", rule), out="denied\n")
        self.expect(
            self.sh(
                "cat /keys/a.key 2>/dev/null || echo denied; cat /keys/b.txt", "--deny-read", "/keys/*.key"
            ),
            out="denied\nopen\n",
        )
        self.expect(self.sh("ls /keys 2>/dev/null || echo denied", "--deny-read", "/k*"), out="denied\n")
        self.expect(self.sh("touch /var/x && echo written", "--allow-write", "/var"), out="written\n")

    def test_images_that_lie_about_the_places_of_the_walls(self):
        """Links and files where the sandbox mounts: they lead nowhere and hide nothing."""
        victim = self.folder / "victim"
        victim.mkdir()
        victim.chmod(0o777)
        check = (
            "for d in /workspace /tmp /dev/shm; do echo x > $d/mark || echo bad $d; done; "
            "test -c /dev/null || echo bad null; stat -c %t:%T /dev/null; cat /proc/1/comm; "
            "ls /mnt 2>/dev/null && echo bad mnt; ls /opt/atoll/hidden 2>/dev/null && echo bad hidden; "
            "ls /bin/evil 2>/dev/null; grep -c localhost /etc/hosts; "
            "ls -d /workspace/mark /tmp/mark"
        )
        places = ("proc", "dev", "workspace", "tmp", "mnt", "opt", "etc")
        good = "1:3\natoll-guest\n2\n/tmp/mark\n/workspace/mark\n"
        for target in (str(victim), "/bin", "/", "/proc/1/root", "/proc/self/cwd", "/nowhere", "workspace"):
            tar = Tar()
            for place in places:
                tar.symlink(place, target)
            self.add(tar.done())
            self.expect(self.sh(check), out=good)
        for kind in (dict(data=b"evil"), dict(kind=tarfile.LNKTYPE, link="bin/busybox")):
            tar = Tar().add("bin/busybox", pathlib.Path(make.BUSYBOX).read_bytes(), mode=0o755)
            for place in places:
                tar.add(place, mode=0o755, **kind)
            self.add(tar.done())
            self.expect(self.sh(check), out=good)
        tar = Tar().folder("dev").folder("opt").folder("opt/atoll").folder("opt/atoll/hidden")
        for name in (
            "dev/null",
            "opt/atoll/hidden/evil",
            "proc/1/comm",
            "mnt/evil",
            "tmp/evil",
            "workspace/evil",
        ):
            tar.add(name, b"evil")
        for name, target in (("dev/shm", "/bin"), ("etc/hosts", "/etc/motd"), ("etc/resolv.conf", "/bin/sh")):
            tar.symlink(name, target)
        self.add(tar.done())
        self.expect(self.sh(check), out=good)
        self.expect(self.sh("cat /etc/resolv.conf; ls -A /tmp /workspace"), out="nameserver 198.18.0.53\n/tmp:\n\n/workspace:\n")
        self.assertEqual(os.listdir(victim), [])

    def test_an_image_in_use_stays(self):
        self.add()
        words = ("-q", "-i", "--image", "test", "--", "sh", "-c", "echo up; cat; cat /etc/motd")
        environment = {**os.environ, **self.env}
        with support.start(*words, env=environment, stdin=subprocess.PIPE) as running:
            self.assertEqual(running.stdout.readline(), b"up\n")
            self.expect_failure(self.image("rm", "test"), "conflict")
            # Another image under its name: the old layers stay as long as they are used.
            self.load_json(make.docker([layer(a=b"1")]))
            self.assertEqual(len(self.entries("layers")), 2)
            running.stdin.close()
            self.assertEqual(running.stdout.read(), b"from the image\n")
            self.assertEqual(running.wait(30), 0)
            running.stdin = None
        self.expect(self.image("rm", "test"))
        self.assert_nothing_left()

    def test_the_example_in_the_documents(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs/images.md").read_text()
        (example,) = [part.split("```")[0] for part in text.split("```sh\n") if "mkdir -p root/bin" in part]
        environment = {**os.environ, **self.env, "PATH": f"{support.BIN}:{os.environ['PATH']}"}
        command = ["bash", "-ec", example.replace("amd64", make.HOST)]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue(done.stdout.endswith(b"\nhello from an image\n"), done)

    def test_scripts(self):
        self.add(Tar().symlink("bin/bash", "busybox").done())
        script = self.file("job.sh", "echo script in $PWD with $1\n")
        outcome = self.run_in(script, "x")
        if outcome.code == 127 or "applet not found" in outcome.err:  # a busybox without that name
            return
        self.expect(outcome, out="script in /workspace with x\n")


class UsersServer(Server):
    """Of an ordinary user, whose images it has: programs from `place`, everything else below `home`."""

    USER = 65534 if support.IS_ROOT else os.getuid()

    def __init__(self, place, home, *options):
        self.place, self.home = place, home
        super().__init__(str(home / "server"), *options)

    def words(self, *words):
        switch = {"user": self.USER, "group": self.USER, "extra_groups": []} if support.IS_ROOT else {}
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home)}
        return {"args": [str(self.place / "atoll"), *words], "cwd": "/", "env": environment, **switch}

    def launch(self, **_):
        command = self.words("serve", "--listen", "127.0.0.1:0", "--data", self.data, *self.options)
        self.process = subprocess.Popen(
            **command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )


class Sessions(support.Case):
    """Sessions from an image: its variables and its working folder are theirs."""

    CONFIG = {
        "Env": ["PATH=/own:/bin", "COLOR=red", "SIZE=big", "SHAPE=round"],
        "Cmd": ["sh"],
        "WorkingDir": "/home/image",
    }
    SHOW = "echo $COLOR $SIZE $SHAPE $PATH; pwd; tool"
    SHOWN = "red small square /own:/bin\n/home/image\nfrom its PATH\n"

    def bash_layer(self):
        """Bash with its libraries, and a program in the folder that only the image's PATH names."""
        tar = Tar().folder("own").add("own/tool", b"#!/bin/sh\necho from its PATH\n", mode=0o755)
        libraries = subprocess.run(["ldd", "/bin/bash"], capture_output=True, text=True, check=True).stdout
        paths = [word for word in libraries.split() if word.startswith("/")]
        for path in paths:
            tar.add(path[1:], pathlib.Path(path).read_bytes(), mode=0o755)
        return tar.add("bin/bash", pathlib.Path("/bin/bash").read_bytes(), mode=0o755).done()

    def check(self, server, session):
        for request in (
            {"command": self.SHOW},
            {"command": ["sh", "-c", self.SHOW]},
            {"code": self.SHOW, "language": "bash"},
            {"code": self.SHOW, "language": "bash", "context": "default"},
        ):
            done = server.execute(session, **request)
            self.assertEqual(done.get("stdout"), self.SHOWN, (request, done))
        asked = server.execute(session, command="pwd; echo $COLOR", cwd="/tmp", env={"COLOR": "blue"})
        self.assertEqual(asked["stdout"], "/tmp\nblue\n", asked)
        terminal = Terminal(session, "--server", server.base, "-c", self.SHOW, command="shell")
        terminal.expect(self.SHOWN.replace("\n", "\r\n"), seconds=60)
        self.assertEqual(terminal.end(seconds=60)[0], 0)
        contexts = server.call("GET", f"/api/v1/sessions/{session}/contexts")[1]["contexts"]
        self.assertEqual([one["cwd"] for one in contexts], ["/home/image"])

    def test_variables_and_working_folder(self):
        layers = [make.busybox_layer(), self.bash_layer()]
        archive = self.file("a.tar", make.docker(layers, ["test:latest"], config=self.CONFIG))
        place, home = self.folder / "bin", self.folder / "home"
        shutil.copytree(support.BIN, place, ignore=lambda _, names: [n for n in names if not n.startswith("atoll")])
        home.mkdir()
        os.chown(home, UsersServer.USER, -1)
        server = UsersServer(place, home, "--no-auth")
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        subprocess.run(**server.words("image", "import", archive), capture_output=True, timeout=60, check=True)
        for name, pool in (("cold", 0), ("warm", 1)):
            template = {"id": name, "image": "test", "language": "bash", "env": {"SIZE": "small"}, "pool": pool,
                        "resources": {"memory": 256, "disk": 64}}
            status, made = server.call("POST", "/api/v1/templates", template)
            self.assertEqual(status, 201, made)
        asked = {"environment": {"SHAPE": "square"}}
        sessions = [server.session(template_id=name, config=asked) for name in ("cold", "warm", "warm")]
        for session in sessions:
            self.check(server, session)
        server.kill()
        server.start()
        for session in sessions:
            self.check(server, session)
            self.assertEqual(server.call("DELETE", f"/api/v1/sessions/{session}")[0], 204)


@unittest.skipUnless(support.IS_ROOT, "switches to another user, which only root can")
class Rootless(support.Case):
    """The same store form works for an ordinary user."""

    NOBODY = 65534

    # covers: atoll image
    def test_import_run_and_remove(self):
        place = self.folder / "bin"
        shutil.copytree(
            support.BIN,
            place,
            ignore=lambda folder, names: [name for name in names if not name.startswith("atoll")],
        )
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, self.NOBODY, self.NOBODY)
        lower = (
            Tar()
            .folder("d")
            .add("d/old", b"1")
            .folder("closed", mode=0o500)
            .add("closed/f", b"in\n", mode=0o400)
            .done()
        )
        upper = Tar().folder("d").add("d/.wh..wh..opq").add("d/new", b"2").add("etc/.wh.secret").done()
        archive = self.file(
            "a.tar", make.docker([make.busybox_layer(), lower, upper], config={"Env": ["PATH=/bin"]})
        )

        def atoll(*words):
            done = subprocess.run(
                [place / "atoll", *map(str, words)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=60,
                cwd="/",
                user=self.NOBODY,
                group=self.NOBODY,
                extra_groups=[],
                env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
            )
            return support.Outcome(done)

        self.expect(atoll("image", "import", archive))
        self.expect(
            atoll(
                "run",
                "-q",
                "--image",
                "test",
                "--",
                "sh",
                "-c",
                "id -u; ls /d; cat /closed/f; ls /etc/secret 2>/dev/null || echo gone; touch /x",
            ),
            code=1,
            out="1000\nnew\nin\ngone\n",
        )
        script = "echo x > /x && rm /d/new && cat /x && ls /d && touch /dev/x"
        self.expect(
            atoll("run", "-q", "--image", "test", "--writable-root", "--", "sh", "-c", script), code=1, out="x\n"
        )
        self.expect(atoll("image", "rm", "test"))
        store = home / ".local/share/atoll/images"
        self.assertEqual(
            [os.listdir(store / part) for part in ("layers", "manifests", "staging")], [[], [], []]
        )


if __name__ == "__main__":
    support.main()
