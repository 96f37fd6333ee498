"""TypeScript by type stripping, and a clear sentence where node cannot do it."""
import subprocess

import javascript_case

CAN_STRIP = subprocess.run(
    [javascript_case.NODE, "-p", "typeof require('module').stripTypeScriptTypes"],
    capture_output=True, text=True, check=True).stdout.strip() == "function"
VERSION = subprocess.run([javascript_case.NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()
SENTENCE = f"TypeScript needs node 22.13 or newer, and this is node {VERSION.removeprefix('v')}"


class TypeScript(javascript_case.Case):
    argv = [*javascript_case.ARGV, "typescript"]

    def expect_typed(self, code, text):
        if CAN_STRIP:
            self.expect(code, text)
        else:
            self.expect_error(code, "SyntaxError", SENTENCE)

    def test_ready_names_the_language(self):
        driver = javascript_case.tests_support.Driver(self.argv)
        self.addCleanup(driver.close)
        ready = driver.ready()
        self.assertEqual(ready["language"], "typescript")
        self.assertEqual(ready.get("problem"), None if CAN_STRIP else SENTENCE)

    def test_types(self):
        self.expect_typed("const n: number = 5; interface Named { name: string }\nn", "5")
        self.expect_typed("const same = <T,>(x: T): T => x; same<string>('s')", "'s'")
        self.expect_typed("import type {Stats} from 'fs'; import {join} from 'path'\n"
                          "join('a', 'b') as string", "'a/b'")
        self.expect_typed("await Promise.resolve<number>(4)", "4")

    def test_what_is_more_than_types(self):
        self.expect_typed("enum Level { low = 3, high }\nLevel.high", "4")
        self.expect_typed("class P { constructor(private n: number) {} get() { return this.n } }\n"
                          "new P(6).get()", "6")

    def test_errors(self):
        self.expect_error("const n: = 5", "SyntaxError")
        if CAN_STRIP:
            outcome = self.expect_error("type T = string\nthrow new Error('e' as T)", "Error", "e")
            self.assertIn(f"cell {outcome.done['execution_count']}:2:7", outcome.error["traceback"])

    def test_deep_nesting_breaks_nothing(self):
        self.expect_error("[" * 5000 + "]" * 5000, "SyntaxError")
        self.expect_typed("1 as number", "1")


class TypesInJavaScript(javascript_case.Case):
    def test_are_left_out_where_the_code_is_no_javascript(self):
        if CAN_STRIP:
            self.expect("const n: number = 5; n", "5")
        else:
            self.expect_error("const n: number = 5; n", "SyntaxError")

    def test_javascript_stays_as_it_is(self):
        self.expect("let a = 1, b = 2, c = 3; a < b > (c)", "false")


if __name__ == "__main__":
    javascript_case.main()
