"""Errors of all kinds, exits, and code that is hardly any: the context outlives them."""
import javascript_case


class Errors(javascript_case.Case):
    def traceback(self, code):
        return self.run_code(code, exit_code=1).error["traceback"]

    def test_the_frames_of_the_user_only(self):
        code = "function deep() {\n  return null.x\n}\nfunction top() { deep() }\n\ntop()"
        outcome = self.expect_error(code, "TypeError", "Cannot read properties of null (reading 'x')")
        run = outcome.done["execution_count"]
        self.assertEqual(outcome.error["traceback"].splitlines(), [
            f"cell {run}:2", "  return null.x", "              ^",
            "TypeError: Cannot read properties of null (reading 'x')",
            f"    at deep (cell {run}:2:15)", f"    at top (cell {run}:4:18)", f"    at cell {run}:6:1"])

    def test_the_same_after_an_await(self):
        code = "await null\nconst f = () => { throw new RangeError('r') }\nf()"
        outcome = self.expect_error(code, "RangeError", "r")
        run = outcome.done["execution_count"]
        self.assertIn(f"    at f (cell {run}:2:", outcome.error["traceback"])
        self.assertNotIn("node:", outcome.error["traceback"])
        self.assertNotIn("eval", outcome.error["traceback"])

    def test_what_the_code_prints_of_a_stack(self):
        outcome = self.run_code("console.log(new Error('e').stack)")
        run = outcome.done["execution_count"]
        self.assertEqual(outcome.stdout, f"Error: e\n    at cell {run}:1:13\n")

    def test_files_of_the_workspace_are_frames(self):
        path = self.file("thrower.js", "exports.go = () => { throw new Error('from a file') }")
        self.assertIn(f"{path}:1:28", self.traceback("require('./thrower').go()"))

    def test_details_and_causes(self):
        text = self.traceback("throw new Error('outer', {cause: new TypeError('inner')})")
        self.assertRegex(text, r"(?s)Error: outer\n.*\[cause\]: TypeError: inner")
        self.assertIn("code: 'ENOENT'", self.traceback("require('fs').readFileSync('/nowhere')"))

    def test_syntax_errors_have_a_place(self):
        for code, place, evalue in (("let q = ;", "1\nlet q = ;\n        ^", "Unexpected token ';'"),
                                    ("1;\nfoo(;", "2\nfoo(;\n    ^", "Unexpected token ';'"),
                                    ("await 1;\nlet w = ;", "2\nlet w = ;\n        ^", None),
                                    ("import {x} from", "1\nimport {x} from\n               ^", None),
                                    ("let z; let z", "1\n", "Identifier 'z' has already been declared")):
            outcome = self.expect_error(code, "SyntaxError", evalue)
            self.assertTrue(outcome.error["traceback"].startswith(
                f"cell {outcome.done['execution_count']}:{place}"), outcome)

    def test_nothing_of_code_that_does_not_parse_runs(self):
        self.expect_error("globalThis.ran = true; let q = ;", "SyntaxError")
        self.expect("globalThis.ran", None)

    def test_thrown_things_that_are_no_errors(self):
        for code, evalue in (("throw 5", "5"), ("throw {a: 1}", "{ a: 1 }"), ("throw null", "null"),
                             ("throw undefined", "undefined"), ("Promise.reject('no')", "'no'")):
            self.expect_error(code, "Uncaught", evalue)

    def test_odd_errors(self):
        self.expect_error("throw Object.defineProperty(Error('m'), 'stack', {get() { throw 1 }})",
                          "Error", "m")
        self.expect_error("class Own extends Error { name = 'Own' }; throw new Own('o')", "Own", "o")
        self.expect_error("throw require('vm').runInNewContext('new TypeError(`t`)')", "TypeError", "t")
        self.expect_error("const f = () => f(); f()", "RangeError", "Maximum call stack size exceeded")

    def test_nobody_caught_it(self):
        outcome = self.run_code("Promise.reject(new Error('rejected')); 5")
        self.assertIn("Uncaught Error: rejected\n", outcome.stderr)
        self.assertEqual(outcome.text, "5")
        outcome = self.run_code("setTimeout(() => { throw new Error('timed') }, 0)\n"
                                "await new Promise((done) => setTimeout(done, 5))")
        self.assertIn("Uncaught Error: timed\n", outcome.stderr)
        self.run_code("process.on('uncaughtException', (e) => console.log('caught', e))")
        self.assertEqual(self.run_code("process.nextTick(() => { throw 8 })").stdout, "caught 8\n")
        self.run_code("process.removeAllListeners('uncaughtException')")


class Exit(javascript_case.Case):
    def test_ends_the_run_and_keeps_the_context(self):
        self.expect("let kept = 1", None)
        for code, status in (("process.exit(3)", 3), ("process.exit()", 0), ("process.exitCode = 4", 4),
                             ("try { process.exit(5) } finally { console.log('no') }", 5),
                             ("await null; process.exit(6)", 6), ("process.exit(256 + 7)", 7),
                             ("setTimeout(() => process.exit(8), 0); await new Promise(() => {})", 8)):
            outcome = self.run_code(code, exit_code=status)
            self.assertIsNone(outcome.error)
            self.assertEqual(outcome.stdout, "")
        self.expect("kept", "1")

    def test_exit_listeners_run_once(self):
        code = "process.on('exit', (code) => console.log('bye', code)); process.exit(2)"
        self.assertEqual(self.run_code(code, exit_code=2).stdout, "bye 2\n")
        self.assertEqual(self.run_code("process.exit(1)", exit_code=1).stdout, "")

    def test_an_exit_between_runs_is_nobodys(self):
        self.run_code("setTimeout(() => { console.log('tried'); process.exit(9) }, 0)")
        self.driver.until_output("tried")
        self.expect("'alive'", "'alive'")

    def test_what_the_run_had_scheduled_goes_with_it(self):
        self.run_code("let ticks = 0; setInterval(() => { ticks += 1 }, 1); process.exit(1)", exit_code=1)
        self.expect("await new Promise((done) => setTimeout(done, 10)); ticks", "0")


class BadInput(javascript_case.Case):
    def test_nul(self):
        self.expect_error("a\0b", "SyntaxError")
        self.expect("'a\0b'.length", "3")

    def test_bytes_that_are_no_text(self):
        self.expect(b"'\xff\xfe'.length", "2")

    def test_deep_nesting(self):
        self.expect_error("(" * 100_000, "RangeError", "the code is nested too deeply")
        self.expect("[" * 1000 + "]" * 1000 + ".length", "1")

    def test_five_megabytes_of_code(self):
        self.expect("/*" + "x" * 5_000_000 + "*/ 7", "7")
        self.expect("let big = `" + "é\n" * 1_000_000 + "`; big.length", "2000000")

    def test_the_code_replaces_what_the_driver_uses(self):
        driver = self.fresh()
        driver.run("Array.prototype.map = null; setImmediate = null; setTimeout = null\n"
                   "Error.prepareStackTrace = () => 5; process.emit = null; globalThis.Error = null")
        self.assertEqual(driver.run("1 + 1").text, "2")
        self.assertEqual(driver.run("null.x").exit_code, 1)
        driver.run("String.prototype.split = null; RegExp.prototype.exec = null")
        self.assertEqual(driver.run("null.x").exit_code, 1)
        self.assertEqual(driver.run("console.log(3)").stdout, "3\n")


if __name__ == "__main__":
    javascript_case.main()
