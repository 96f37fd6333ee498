"""What the tests of images share: a store of their own, and archives put into it."""

import json
import os

import image_archives as make
import support


class ImageCase(support.Case):
    """A store of its own for every test."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.env = {"ATOLL_DATA": str(self.data)}

    def image(self, *words, **more):
        return support.atoll("image", *words, env=self.env, **more)

    def load(self, archive, *options):
        """Imports bytes, as a file."""
        return self.image("import", *options, self.file("archive.tar", archive))

    def load_json(self, archive, *options):
        outcome = self.expect(self.load(archive, "-o", "json", *options))
        return json.loads(outcome.out)

    def names(self):
        return [
            image["name"] for image in json.loads(self.expect(self.image("ls", "-o", "json")).out)["images"]
        ]

    def entries(self, part):
        folder = self.data / "images" / part
        return sorted(os.listdir(folder)) if folder.exists() else []

    def tree(self, data):
        """Where the layer with these bytes was unpacked."""
        return self.data / "images/layers" / make.sha256(data) / "tree"

    def assert_nothing_left(self):
        self.assertEqual(self.entries("manifests"), [])
        self.assertEqual(self.entries("layers"), [])
        self.assertEqual(self.entries("staging"), [])

    def refused(self, archive, code="invalid_argument", says=""):
        outcome = self.expect_failure(self.load(archive), code)
        self.assertIn(says, outcome.err)
        self.assert_nothing_left()
