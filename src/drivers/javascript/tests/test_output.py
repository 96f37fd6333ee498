"""Streams in order, results by MIME type, display, and bounds on all of them."""
import base64

import javascript_case


class Streams(javascript_case.Case):
    def test_both_streams_keep_their_order(self):
        outcome = self.run_code("console.log('a'); console.error('b'); process.stdout.write('c\\n')\n"
                                "process.stderr.write(Buffer.from('d')); console.info('%d', 5)")
        self.assertEqual(outcome.messages[:-1], [("stdout", b"a\n"), ("stderr", b"b\n"), ("stdout", b"c\n"),
                                                 ("stderr", b"d"), ("stdout", b"5\n")])

    def test_children_write_between(self):
        outcome = self.run_code("console.log(1); require('child_process').execSync('echo 2; echo 3 >&2',"
                                "{stdio: 'inherit'}); console.log(4)")
        self.assertEqual(outcome.stdout, "1\n2\n4\n")
        self.assertEqual(outcome.stderr, "3\n")

    def test_a_child_waits_until_what_was_printed_is_read(self):
        for start in ("spawnSync('echo', ['2'], {stdio: 'inherit'})", "spawn('echo', ['2'], {stdio: 'inherit'})"):
            driver = self.fresh()
            driver.send(f"console.log(1); require('child_process').{start}; undefined")
            self.assertFalse(driver.has_written_to_pipes(within=0.25), start)
            driver.until_output("1\n")
            driver.until_output("2\n")

    def test_children_see_only_three_descriptors(self):
        outcome = self.run_code("require('child_process').execSync('ls /proc/self/fd').toString()")
        self.assertEqual(outcome.text, r"'0\n1\n2\n3\n'")  # 3 is the folder that ls reads

    def test_workers_and_forks(self):
        self.file("child.js", "console.log('forked', process.execArgv.length)")
        outcome = self.run_code(
            "const {Worker} = require('worker_threads'); const {fork} = require('child_process')\n"
            "const ended = (x) => new Promise((done) => x.on('exit', done))\n"
            "await ended(new Worker('console.log(`threaded`)', {eval: true}))\n"
            "await ended(fork('./child.js'))")
        self.assertEqual(outcome.stdout, "threaded\nforked 0\n")

    def test_large_output_comes_in_bounded_messages(self):
        outcome = self.run_code("process.stdout.write('x'.repeat(300000)); console.log('é'.repeat(100000))")
        self.assertEqual(outcome.stdout, "x" * 300000 + "é" * 100000 + "\n")
        self.assertLessEqual(max(len(body) for body in outcome.bodies("stdout")), 64 * 1024)

    def test_streams_survive_their_end(self):
        self.assertEqual(self.run_code("process.stdout.end('a\\n'); process.stdout.destroy()").stdout, "a\n")
        self.assertEqual(self.run_code("console.log('b')").stdout, "b\n")

    def test_stdin_is_at_its_end(self):
        self.expect("require('fs').readFileSync(0, 'utf8')", "''")

    def test_output_between_runs_comes_with_the_next(self):
        self.run_code("let later; const waited = new Promise((done) => { later = done })\n"
                      "setTimeout(() => { console.log('late'); later() }, 1)")
        self.assertEqual(self.run_code("await waited").stdout, "late\n")


class Results(javascript_case.Case):
    def test_plain_data_is_json_too(self):
        for code, value in {"1": 1, "'s'": "s", "null": None, "[1, {a: [true]}]": [1, {"a": [True]}],
                            "({a: 'b'})": {"a": "b"}, "[]": []}.items():
            self.assertEqual(self.run_code(code).result.get("application/json", "none"), value, code)

    def test_other_values_are_text_only(self):
        for code in ("NaN", "1n", "Symbol('s')", "new Date(0)", "new Map([[1, 2]])", "[undefined]",
                     "(() => {}).bind()", "({f() {}})", "new (class X {})()", "[1, new Set()]",
                     "const cycle = {}; cycle.cycle = cycle; cycle", "new Proxy({}, {get() { throw 1 }})",
                     "({[Symbol('k')]: 1})", "({toJSON() {}})"):
            self.assertEqual(list(self.run_code(code).result), ["text/plain"], code)

    def test_large_values_are_cut(self):
        result = self.run_code("'x'.repeat(3 << 20)").result
        self.assertNotIn("application/json", result)
        self.assertLess(len(result["text/plain"]), 1.1 * (1 << 20))
        result = self.run_code("Array.from({length: 200000}, (_, i) => i)").result
        self.assertEqual(list(result), ["text/plain"])

    def test_objects_offer_forms_of_their_own(self):
        for method in ("atoll.mime", "Jupyter.display"):
            for kind in ("", "async"):
                forms = "{ return {'text/html': '<i>', 'image/png': Buffer.from('p')} }"
                result = self.run_code(f"({{{kind} [Symbol.for('{method}')]() {forms}}})").result
                self.assertEqual(result["text/html"], "<i>")
                self.assertEqual(base64.b64decode(result["image/png"]), b"p")
                self.assertIn("text/plain", result)

    def test_too_large_a_bundle_is_a_sentence(self):
        code = "({[Symbol.for('atoll.mime')]: () => ({'text/html': 'x'.repeat(17 << 20)})})"
        result = self.run_code(code).result
        self.assertEqual(list(result), ["text/plain"])
        self.assertIn("16 MiB", result["text/plain"])

    def test_half_a_surrogate_pair_is_no_character(self):
        for code, value in (("'a😀b'.split('')", ["a", "\ufffd", "\ufffd", "b"]), ('"😀"[0]', "\ufffd"),
                            ('({["😀"[0]]: 1})', {"\ufffd": 1}), ('["\\\\ud83d", "😀"]', ["\\ud83d", "😀"])):
            self.assertEqual(self.run_code(code).result["application/json"], value, code)
        self.assertEqual(self.run_code('display.html("😀"[1])').displays[0]["text/html"], "\ufffd")
        shown = self.run_code('display.mime({["text/" + "😀"[1]]: "x"})').displays[0]
        self.assertEqual(shown["text/\ufffd"], "x")
        outcome = self.run_code('throw new Error("😀"[0])', exit_code=1)
        self.assertEqual(outcome.error["evalue"], "\ufffd")

    def test_what_the_host_would_refuse_is_left_out(self):
        nested = "let n = 1; for (let i = 0; i < %d; i++) n = [n]; "
        self.assertIn("application/json", self.run_code(nested % 60 + "n").result)
        self.assertEqual(list(self.run_code(nested % 70 + "n").result), ["text/plain"])
        shown = self.run_code(nested % 70 + "display.json(n)").displays[0]
        self.assertIn("(application/json is left out: it is nested too deeply)", shown["text/plain"])
        shown = self.run_code("display.mime({['a/' + 'x'.repeat(300)]: 1, 'text/html': 'h'})").displays[0]
        self.assertEqual(shown["text/html"], "h")
        self.assertIn("its name is too long", shown["text/plain"])
        shown = self.run_code("const forms = {}; for (let i = 0; i < 100000; i++) forms['a/' + i] = i\n"
                              "forms['text/plain'] = 'p'; display.mime(forms)").displays[0]
        self.assertEqual((shown["a/0"], shown["text/plain"][0]), ("0", "p"))
        self.assertIn("there are too many", shown["text/plain"])

    def test_a_value_that_cannot_be_shown(self):
        code = "({[require('util').inspect.custom]() { throw Error('oops') }})"
        self.assertIn("oops", self.run_code(code).text)


class Display(javascript_case.Case):
    def test_values_and_kinds(self):
        outcome = self.run_code("display({a: 1}, 'two'); console.log('between'); display.html('<b>')\n"
                                "display.svg('<svg/>'); display.markdown('# m'); display.latex('$x$')\n"
                                "display.png(Buffer.from('p')); display.jpeg('anBlZw=='); display.json([1])")
        bundles = outcome.displays
        self.assertTrue(all("text/plain" in bundle for bundle in bundles))
        self.assertEqual(bundles[0]["application/json"], {"a": 1})
        self.assertEqual(bundles[1]["text/plain"], "'two'")
        self.assertEqual([bundles[i][kind] for i, kind in enumerate(
            ("text/html", "image/svg+xml", "text/markdown", "text/latex", "image/png", "image/jpeg",
             "application/json"), 2)], ["<b>", "<svg/>", "# m", "$x$", "cA==", "anBlZw==", [1]])
        words = [word for word, _ in outcome.messages]
        self.assertEqual(words[:4], ["display", "display", "stdout", "display"])
        self.assertIsNone(outcome.result)


if __name__ == "__main__":
    javascript_case.main()
