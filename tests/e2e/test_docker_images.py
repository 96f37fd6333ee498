"""What a Docker engine's images hold, how they are named and brought, and the rules for the files in them."""
import io
import json
import os
import pathlib
import tarfile
import tempfile
import unittest

from docker_case import DockerCase
from support import atoll, run
from with_dockerd import IMAGE


class DockerImages(DockerCase):
    def test_rules_for_files(self):
        """Each command works without the denying rules, and fails with them."""
        allow = ["--allow-write", "/srv", "--allow-write", "/usr/share/perl5"]
        groups = [
            (["--deny-write", "/usr/share", "--deny-write", "/srv/x", "--deny-write", "/srv/a/b", "--deny-write", "a/b/c",
              "--deny-read", "/tmp", "--deny-read", "/etc/os-release", "--deny-read", "/bin/printenv"],
             ["touch /usr/share/perl5/x", "touch /srv/x", "mkdir -p /srv/a && touch /srv/a/b", "mkdir -p a/b && touch a/b/c",
              "rm -rf a; mkdir -p a/b; mv a d", "mv a/b a/d", "ls /tmp", "cat /etc/os-release", "cat /usr/lib/os-release",
              "/usr/bin/printenv"]),
            (["--deny-read", "/usr/share", "--deny-read", "/etc/os-rel*", "--deny-read", "/bin/print*v",
              "--deny-write", "/srv/**", "--deny-write", "/workspace"],
             ["ls /usr/share/perl5", "cat /usr/lib/os-release", "printenv", "touch /srv/y", "touch y"]),
            (["--deny-read", "/usr/**/os-release"], ["cat /usr/lib/os-release"])]
        refused = [["--deny-read", "/"], ["--deny-read", "/proc/self"], ["--deny-write", "/dev/null"],
                   ["--deny-read", "/var/run"], ["--deny-read", "/etc"], ["--allow-write", "/no/such"],
                   ["--mount", f"{self.data}:/mnt:rw", "--deny-write", "/mnt/x"]]
        os.mkdir(self.data)
        places = tempfile.TemporaryDirectory()
        self.addCleanup(places.cleanup)
        os.chmod(places.name, 0o1777)

        def statuses(rules, commands):
            words = " ".join(f"sh -c '{one}' >/dev/null 2>&1; echo $?;" for one in commands)
            outcome = run("--backend", "docker", "--image", IMAGE, *rules, "--", "sh", "-c", words,
                          env={"DOCKER_HOST": f"unix://{self.engine.socket}", "TMPDIR": places.name})
            return outcome, list(zip(outcome.out.split(), commands))

        for rules, commands in groups:
            outcome, ends = statuses(allow, [*commands[:4], "rm -rf a; mkdir -p a/b", *commands[5:]])
            self.assertEqual({end for end, _ in ends}, {"0"}, ends or outcome)
            outcome, ends = statuses(allow + rules, commands)
            self.assertEqual([one for one in ends if one[0] == "0"], [], ends)
            self.assertEqual(len(ends), len(commands), outcome)
        for rules in refused:
            outcome, _ = statuses(rules, ["true"])
            self.assertEqual(outcome.code, 125, outcome)
            self.assertIn(f"policy_unsupported: the file system rule {rules[-1]} ", outcome.err)
        self.until(lambda: not self.containers())
        self.assertEqual(os.listdir(places.name), [])

    def image(self, name, tag="1", **declared):
        """The image of the tests, with declarations of its own."""
        made = self.engine.call("POST", "/containers/create", {"Image": IMAGE, "Entrypoint": ["/"]})
        self.assertEqual(made[0], 201, made)
        container = json.loads(made[1])["Id"]
        made = self.engine.call("POST", f"/commit?container={container}&repo={name}&tag={tag}", declared)
        self.assertEqual(made[0], 201, made)
        self.assertEqual(self.engine.call("DELETE", f"/containers/{container}?v=1")[0], 204)
        return f"{name}:{tag}"

    def test_what_an_image_declares(self):
        image = self.image("declares", Env=["FROM_IMAGE=yes", "BOTH=image", "PATH=/usr/lib/own:/usr/bin:/bin"],
                           User="root", WorkingDir="/var", Entrypoint=["/bin/false"], Cmd=["x"],
                           Volumes={"/workspace/": {}, "/tmp/": {}, "/srv/data/": {}})
        server = self.serve(f"sandbox.backends.docker.image={image}")
        session = server.session(config={"environment": {"BOTH": "session"}})
        facts = "id -u; pwd; echo $FROM_IMAGE $BOTH $PATH; touch here /tmp/there && touch /srv/data/x 2>&1 | grep -o Read.*"
        expected = "1000\n/workspace\nyes session /usr/lib/own:/usr/bin:/bin\nRead-only file system\n"
        self.assertEqual(server.execute(session, command=facts)["stdout"], expected)
        server.kill()
        server.start()
        self.assertEqual(server.execute(session, command=facts)["stdout"], expected)

    def test_each_language_has_an_image(self):
        """The names that the built-in templates have on docker, brought by an archive made here."""
        images = {"python": ("python", "3.11-slim"), "javascript": ("node", "20-alpine"), "bash": ("ubuntu", "22.04")}
        names = [self.image(*image, Env=[f"IMAGE={':'.join(image)}", "PATH=/usr/bin:/bin"]) for image in images.values()]
        status, saved = self.engine.call("GET", "/images/get?" + "&".join(f"names={name}" for name in names), timeout=300)
        self.assertEqual(status, 200)
        for name in names:
            self.assertEqual(self.engine.call("DELETE", f"/images/{name}")[0], 200)
        outcome = atoll("image", "import", "--backend", "docker", "-", stdin=saved,
                        env={"DOCKER_HOST": f"unix://{self.engine.socket}"})
        self.assertEqual((outcome.code, sorted(outcome.out.split())), (0, sorted(names)), outcome)
        server = self.serve("sandbox.backends.docker.image=python:3.11-slim")
        code = {"python": ("python-default", "import os; print(os.environ['IMAGE'])"),
                "javascript": ("node-default", "console.log(process.env.IMAGE)"),
                "bash": ("shell-default", "echo $IMAGE")}
        for language, (template, text) in code.items():
            session = server.session(template_id=template)
            ran = server.execute(session, code=text, language=language)
            self.assertEqual((ran["state"], ran["stdout"]), ("completed", ":".join(images[language]) + "\n"), ran)

    def test_an_image_in_which_the_guest_ends(self):
        image = self.image("ends", Volumes={"/run/atoll": {}})
        outcome = run("--backend", "docker", "--image", image, "--", "true",
                      env={"DOCKER_HOST": f"unix://{self.engine.socket}"})
        self.assertEqual(outcome.code, 125, outcome)
        self.assertIn("backend_error: the container ended as soon as it was started", outcome.err)
        self.until(lambda: not self.containers())

    def test_a_missing_image(self):
        server = self.serve()
        template = {"id": "gone", "language": "bash", "image": "localhost:1/no/such:1"}
        self.assertEqual(server.call("POST", "/api/v1/templates", template)[0], 201)
        status, problem = server.call("POST", "/api/v1/sessions", {"template_id": "gone"}, {"Prefer": "wait"})
        text = json.dumps(problem)
        self.assertIn("has no image", text, status)
        self.assertIn("atoll image import --backend docker", text)
        self.assertEqual(self.containers(), [])

    def test_an_archive_becomes_an_image_of_the_engine(self):
        environment = {"DOCKER_HOST": f"unix://{self.engine.socket}"}
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as tar:
            tar.addfile(tarfile.TarInfo("empty"))
        made = self.engine.call("POST", "/images/create?fromSrc=-&repo=tiny&tag=1", content.getvalue())
        self.assertEqual(made[0], 200, made)
        status, saved = self.engine.call("GET", "/images/tiny:1/get")
        self.assertEqual(status, 200)
        self.assertEqual(self.engine.call("DELETE", "/images/tiny:1")[0], 200)
        archive = pathlib.Path(self.data + ".tar")
        archive.write_bytes(saved)
        words = ("image", "import", "--backend", "docker")
        self.assertEqual(self.engine.call("GET", "/images/tiny:1/json")[0], 404)
        outcome = atoll(*words, archive, env=environment)
        self.assertEqual((outcome.code, outcome.out), (0, "tiny:1\n"), outcome)
        self.assertEqual(self.engine.call("GET", "/images/tiny:1/json")[0], 200)
        outcome = atoll(*words, "-o", "json", "--name", "team/other:2", "-", stdin=saved, env=environment)
        self.assertEqual((outcome.code, json.loads(outcome.out)), (0, {"imported": ["team/other:2"]}), outcome)
        self.assertEqual(self.engine.call("GET", "/images/team/other:2/json")[0], 200)
        archive.write_bytes(b"no archive at all")
        for wrong in ([archive], [self.data + "/none"], ["--name", "A B", archive], ["--max-size", "1g", archive]):
            outcome = atoll(*words, *wrong, env=environment)
            self.assertEqual((outcome.code, outcome.out), (125, ""), outcome)
        self.assertIn("does not answer", atoll(*words, archive, env={"DOCKER_HOST": "unix:///none"}).err)

    def test_names_that_no_image_has(self):
        server = self.serve()
        for image in ("a b", "A", "../x", "a\nb", "a" * 300, ""):
            status, problem = server.call("POST", "/api/v1/templates", {"id": "x", "image": image})
            self.assertEqual((status, problem["code"]), (422, "invalid_value"), image)
            self.assertIn("image", problem["detail"])
        outcome = run("--backend", "docker", "--image", "../x", "--", "true",
                      env={"DOCKER_HOST": f"unix://{self.engine.socket}"})
        self.assertEqual(outcome.code, 125)
        self.assertRegex(outcome.err, "^atoll: invalid_argument: image ")


if __name__ == "__main__":
    unittest.main()
