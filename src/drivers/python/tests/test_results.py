"""Results and displays: every form that a value has, within bounds."""

import base64
import json
import unittest

from support import both_ways

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nnot much of a picture")


class Forms:
    def result(self, code):
        return self.ok(code).result

    def form(self, method, body, mime):
        return self.result(f"class Shown:\n    def {method}(self):\n        return {body}\nShown()")[mime]

    def test_text_forms(self):
        for method, mime in (
            ("_repr_html_", "text/html"),
            ("_repr_svg_", "image/svg+xml"),
            ("_repr_latex_", "text/latex"),
            ("_repr_markdown_", "text/markdown"),
            ("_repr_javascript_", "application/javascript"),
        ):
            self.assertEqual(self.form(method, "'<b>é\"\\\\</b>'", mime), '<b>é"\\</b>')

    def test_text_forms_may_be_bytes(self):
        self.ok("class Raw:\n    def _repr_mimebundle_(self, include=None, exclude=None): return self.forms")
        shown = self.result("r = Raw()\nr.forms = {'image/svg+xml': b'<svg/>', 'application/json': b'[1]'}\nr")
        self.assertEqual((shown["image/svg+xml"], shown["application/json"]), ("<svg/>", [1]))

    def test_pictures_are_base64(self):
        for method, mime in (
            ("_repr_png_", "image/png"),
            ("_repr_jpeg_", "image/jpeg"),
            ("_repr_pdf_", "application/pdf"),
        ):
            self.assertEqual(self.form(method, repr(base64.b64decode(PNG)), mime), PNG.decode())
        self.assertEqual(self.form("_repr_png_", repr(PNG.decode()), "image/png"), PNG.decode())

    def test_json_is_json(self):
        self.assertEqual(
            self.form("_repr_json_", "{'a': [1, None, 2.5]}", "application/json"), {"a": [1, None, 2.5]}
        )
        self.assertEqual(
            self.form("_repr_json_", "({'a': 1}, {'expanded': True})", "application/json"), {"a": 1}
        )

    def test_a_bundle_of_its_own(self):
        bundle = self.form("_repr_mimebundle_", "None", "text/plain")
        self.assertIn("Shown", bundle)
        bundle = self.result(
            "class Shown:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
            "        return {'text/plain': 'p', 'application/vnd.x+json': {'n': float('nan')},"
            " 'image/gif': b'GIF'}\n"
            "    def _repr_html_(self):\n        return 'h'\nShown()"
        )
        self.assertEqual(
            bundle,
            {"text/plain": "p", "application/vnd.x+json": {"n": None}, "image/gif": "R0lG", "text/html": "h"},
        )

    def test_there_is_always_plain_text(self):
        self.assertIn("Shown", self.form("_repr_html_", "'h'", "text/plain"))

    def test_a_form_that_fails_is_told_and_the_others_are_shown(self):
        run = self.ok(
            "class Half:\n    def _repr_html_(self): 1/0\n    def _repr_latex_(self): return 'L'\nHalf()"
        )
        self.assertEqual(run.result.get("text/latex"), "L")
        self.assertNotIn("text/html", run.result)
        self.assertIn("ZeroDivisionError", run.err)

    def test_a_repr_that_fails_is_an_error(self):
        self.fails("class Bad:\n    def __repr__(self): 1/0\nBad()", "ZeroDivisionError")
        self.assertEqual(self.ok("1").plain, "1")

    def test_objects_that_answer_to_everything(self):
        run = self.ok(
            "class Any:\n    def __getattr__(self, name): return lambda *a, **k: 'got ' + name\n"
            "    def __repr__(self): return 'any'\nAny()"
        )
        self.assertEqual(run.result, {"text/plain": "any"})

    def test_classes_are_not_shown_as_instances(self):
        self.assertNotIn("text/html", self.result("class C:\n    def _repr_html_(self): return 'x'\nC"))

    def test_containers_are_json_too(self):
        self.assertEqual(
            self.result("{'a': [1, 2.5, None, True, 'é']}")["application/json"],
            {"a": [1, 2.5, None, True, "é"]},
        )
        self.assertEqual(self.result("[[]]")["application/json"], [[]])
        for code in (
            "{1: 2}",
            "[float('nan')]",
            "[object()]",
            "[(1, 2)]",
            "[2 ** 80]",
            "list(range(30_000))",
            "['x' * (2 << 20)]",
        ):
            self.assertNotIn("application/json", self.result(code), code)

    def test_circular_values(self):
        self.assertIn("[...]", self.result("c = [1]\nc.append(c)\nc")["text/plain"])
        self.assertNotIn("application/json", self.result("c"))
        self.ok("d = []\nfor _ in range(90): d = [d]\nd")

    def test_lone_surrogates_do_not_break_the_message(self):
        self.assertEqual(self.result("['\\ud800x']")["application/json"], ["?x"])
        self.assertIsInstance(self.form("_repr_html_", "'\\ud800'", "text/html"), str)
        self.assertEqual(
            json.loads('"\\u0001\\u007f"'), self.form("_repr_html_", "'\\x01\\x7f'", "text/html")
        )


class Bounds:
    def test_long_text_is_clipped(self):
        for code in (
            "'x' * (5 << 20)",
            "b'x' * (5 << 20)",
            "class Long:\n    def __repr__(self): return 'é' * (3 << 20)\nLong()",
        ):
            plain = self.ok(code).plain
            self.assertLess(len(plain.encode()), (1 << 20) + 100, code[:10])
            self.assertRegex(plain[-40:], r"… \d+ characters more$")

    def test_a_bundle_stays_below_its_limit(self):
        run = self.ok(
            "class Big:\n    def __repr__(self): return 'big'\n    def _repr_html_(self): return 'h' * (17 <<"
            " 20)\n    def _repr_latex_(self): return 'small'\n    def _repr_png_(self): return b'p' * (13 <<"
            " 20)\n    def _repr_markdown_(self): return '\\n' * (9 << 20)\nBig()"
        )
        self.assertLessEqual(len(run.bodies("result")[0]), 16 << 20)
        self.assertEqual(sorted(run.result), ["text/latex", "text/plain"])
        self.assertIn("text/html is left out", run.plain)

    def test_a_large_form_that_fits(self):
        run = self.ok("class Big:\n    def _repr_html_(self): return 'h' * (15 << 20)\nBig()")
        self.assertEqual(len(run.result["text/html"]), 15 << 20)

    def test_a_long_list(self):
        self.assertLess(len(self.ok("list(range(3_000_000))").plain), 2 << 20)

    def shown(self, data):
        return self.ok(f"data = {data}\ndisplay(data, raw=True)").displays[0]

    def test_json_that_is_nested_too_deeply(self):
        deep = "data = 1\nfor _ in range(%d): data = [data, '\"[[[{{{']\n"
        code = deep + "class Deep:\n    def _repr_json_(self): return {'k': data}\nDeep()"
        self.assertIn("application/json", self.ok(code % 59).result)
        for depth in (60, 64, 70, 300):
            result = self.ok(code % depth).result
            self.assertNotIn("application/json", result)
            self.assertIn("nested too deeply", result["text/plain"])
        for depth in (60, 61, 63, 64, 65):
            self.ok(deep % depth + "data")

    def test_types_that_the_host_would_refuse(self):
        shown = self.shown("{'text/plain': 'p', 'text/' + 'x' * 1_000_000: 'long', 'text/html': 'h'}")
        self.assertEqual(shown["text/html"], "h")
        self.assertIn("its name is too long", shown["text/plain"])
        self.assertEqual(len(self.shown("{'text/' + '\\x01' * 50: 'long', 'text/html': 'h'}")), 2)
        shown = self.shown("{**{'a/%d' % i: 'x' for i in range(200_000)}, 'text/plain': 'p'}")
        self.assertEqual((shown["a/0"], shown["text/plain"]), ("x", "p\n(199940 more are left out: too many)"))

    def test_strings_of_the_users_own(self):
        shown = self.ok(
            "class S(str):\n    def translate(self, table): return 5\n    def __len__(self): return -1\n"
            "    def __str__(self): return self\n"
            "display({'text/plain': S('p'), S('text/html'): S('h')}, raw=True)"
        ).displays[0]
        self.assertEqual(shown, {"text/plain": "p", "text/html": "h"})

    def test_an_integer_too_long_to_print(self):
        run = self.run_code("10 ** 100_000")
        self.assertIn(run.error and run.error["ename"], (None, "ValueError"))


class Display:
    def test_display_shows_on_the_way(self):
        run = self.ok("print('a')\ndisplay(1, 'two')\nprint('b')\n3")
        self.assertEqual(
            [word for word, _ in run.messages], ["stdout", "display", "display", "stdout", "result", "done"]
        )
        self.assertEqual([each["text/plain"] for each in run.displays], ["1", "'two'"])

    def test_display_of_rich_values(self):
        run = self.ok(
            "class H:\n    def _repr_html_(self): return '<i>'\ndisplay(H())\ndisplay({'text/plain': 't',"
            " 'text/html': 'r'}, raw=True)"
        )
        self.assertEqual([each["text/html"] for each in run.displays], ["<i>", "r"])

    def test_a_handle_updates_by_one_more_display(self):
        run = self.ok("h = display('one', display_id=True)\nh.update('two')")
        self.assertEqual([each["text/plain"] for each in run.displays], ["'one'", "'two'"])

    def test_ipythons_display_objects(self):
        run = self.ok(
            "from IPython.display import HTML, Image, JSON, Markdown, display as show\n"
            "show(HTML('<p>'))\ndisplay(Markdown('*m*'))\nJSON({'a': 1})"
        )
        self.assertEqual(run.displays[0]["text/html"], "<p>")
        self.assertEqual(run.displays[1]["text/markdown"], "*m*")
        self.assertEqual(run.result["application/json"], {"a": 1})
        self.assertEqual(self.ok("HTML('<hr>')").result["text/html"], "<hr>")


both_ways(globals(), (Forms, Bounds, Display))

if __name__ == "__main__":
    unittest.main()
