"""What one run declares, the next ones see and may declare again; imports; await; the result."""
import itertools

import javascript_case


class Protocol(javascript_case.Case):
    def test_ready_names_language_and_version(self):
        driver = javascript_case.tests_support.Driver(self.argv)
        self.addCleanup(driver.close)
        ready = driver.ready()
        self.assertEqual(ready["language"], "javascript")
        self.assertRegex(ready["version"], r"^\d+\.\d+\.\d+$")

    def test_runs_are_counted_and_queue(self):
        driver = self.fresh()
        for code in ("await null; 'a'", "'b'", "nope"):
            driver.send(code)
        outcomes = [driver.finish() for _ in range(3)]
        self.assertEqual([o.done["execution_count"] for o in outcomes], [1, 2, 3])
        self.assertEqual([o.text for o in outcomes], ["'a'", "'b'", None])
        self.assertEqual(outcomes[2].error["ename"], "ReferenceError")

    def test_what_it_used_is_told(self):
        driver = self.fresh()
        before = driver.run("1").done
        after = driver.run("for (let i = 0; i < 3e7; ++i);").done
        self.assertGreater(after["cpu_user_us"], before["cpu_user_us"])
        self.assertGreater(after["memory_peak_kb"], 1000)

    def test_ends_with_the_socket(self):
        driver = self.fresh()
        driver.hang_up()
        self.assertEqual(driver.wait(), 0)

    def test_ends_with_the_socket_though_it_is_busy(self):
        driver = self.fresh()
        driver.send("console.log('go'); while (true) {}")
        driver.until_output("go")
        driver.hang_up()
        self.assertEqual(driver.wait(), -9)

    def test_ends_on_a_broken_header(self):
        driver = self.fresh()
        driver.send_raw(b"x" * 1000)
        self.assertEqual(driver.wait(), 0)


class State(javascript_case.Case):
    def test_every_kind_of_declaration_may_follow_every_other(self):
        kinds = {
            "let N = 1": "1", "const N = 2": "2", "var N = 3": "3", "class N {}": "[class N]",
            "function N() {}": "[Function: N]", "import {sep as N} from 'path'": "'/'",
            "let N = await 4": "4", "const {N} = {N: 5}": "5", "await 0; class N {}": "[class N]",
            "await 0; function N() {}": "[Function: N]", "let N": None,
        }
        for number, (first, second) in enumerate(itertools.product(kinds, repeat=2)):
            self.driver.send(first.replace("N", f"n{number}"))
            self.driver.send(f"{second}\nN".replace("N", f"n{number}"))
        for number, (first, second) in enumerate(itertools.product(kinds, repeat=2)):
            with self.subTest(f"{first}, then {second}"):
                self.assertEqual(self.driver.finish().exit_code, 0)
                value = kinds[second]
                self.assertEqual(self.driver.finish().text, value and value.replace("N", f"n{number}"))

    def test_all_forms_of_binding(self):
        self.expect("const {a, b: [c, ...d], e = 5, ...f} = {a: 1, b: [2, 3, 4], g: 6}", None)
        self.expect("[a, c, d, e, f]", "[ 1, 2, [ 3, 4 ], 5, { g: 6 } ]")
        self.expect("let [h, {i = 7}] = [await 1, {}]; for (var j = 0; j < 2; j++) { var k = j }", None)
        self.expect("[h, i, j, k]", "[ 1, 7, 2, 1 ]")

    def test_functions_see_later_definitions(self):
        self.expect("await null; function outer() { return inner() }\nfunction inner() { return 1 }", None)
        self.expect("outer()", "1")
        self.expect("function inner() { return 2 }; outer()", "2")

    def test_functions_may_be_used_before_their_line(self):
        self.expect("await early()\nfunction early() { return 'e' }\nearly()", "'e'")

    def test_names_of_globals_may_be_taken(self):
        self.expect("const crypto = require('crypto'); typeof crypto.createHash", "'function'")
        self.expect("const performance = globalThis.performance; typeof performance.now", "'function'")
        self.expect("let fs = 5; fs", "5")

    def test_what_failed_half_way_stays(self):
        self.expect_error("let kept = 'k'; throw new Error('x')", "Error")
        self.expect("kept", "'k'")

    def test_strict_code(self):
        self.expect_error("'use strict'; undeclared = 1", "ReferenceError")
        self.expect("'use strict'; let strict = 1; strict", "1")

    def test_the_result_is_the_last_expression(self):
        for code, text in {
            "1; 2": "2", "let q = 1": None, "3; let r = 1": None, "undefined": None, "null": "null",
            "if (true) { 4 }": None, "{a: 1}": "{ a: 1 }", "{ let s = 1; s }": None, "5;;": "5",
            "6 // six": "6", "(7)": "7", "await 8;": "8", "await 0; (1, 9)": "9", "": None, "// none": None,
            "await 0; let t = 1": None, "function u() {}": None, "u": "[Function: u]", "'v'": "'v'",
        }.items():
            with self.subTest(code):
                self.expect(code, text)

    def test_a_promise_is_waited_for(self):
        self.expect("Promise.resolve(1)", "1")
        self.expect("async function work() { await null; console.log('w'); return 2 }\nwork()", "2")

    def test_for_await(self):
        self.assertEqual(self.run_code("for await (const x of [1, 2]) console.log(x)").stdout, "1\n2\n")


class Modules(javascript_case.Case):
    def test_imports_from_the_workspace(self):
        self.file("lib.mjs", "export default 1; export const two = 2; export function f() { return 3 }")
        self.expect("import one, {two, f as three} from './lib.mjs'\nimport * as all from './lib.mjs';\n"
                    "[one, two, three(), all.two]", "[ 1, 2, 3, 2 ]")
        self.expect("import uno, * as rest from './lib.mjs'; [uno, rest.two]", "[ 1, 2 ]")
        self.expect("(await import('./lib.mjs')).two", "2")
        self.expect("const load = () => import('./lib.mjs'); (await load()).default", "1")
        self.expect("typeof `${import.meta.url}` + import.meta.dirname.length",
                    f"'string{len(self.folder)}'")

    def test_packages(self):
        self.file("node_modules/pack/package.json", '{"name": "pack", "main": "main.js"}')
        self.file("node_modules/pack/main.js", "exports.name = 'pack'")
        self.file("data.json", '{"d": 1}')
        self.expect("require('pack').name", "'pack'")
        self.expect("import pack from 'pack'; pack.name", "'pack'")
        self.expect("require('./data.json').d", "1")
        self.expect("import data from './data.json' with {type: 'json'}; data.d", "1")
        self.expect("import.meta.resolve('pack')", f"'file://{self.folder}/node_modules/pack/main.js'")

    def test_a_missing_name_or_module(self):
        self.expect_error("import {nope} from 'fs'", "SyntaxError",
                          "The requested module 'fs' does not provide an export named 'nope'")
        self.expect_error("import x from './nowhere.mjs'", "Error")
        self.expect_error("require('./nowhere')", "Error")

    def test_looks_like_a_program_of_the_workspace(self):
        self.expect("[__dirname, require.main === module, process.execArgv]",
                    f"[ '{self.folder}', true, [] ]")
        self.expect("import.meta.url === require('url').pathToFileURL(process.argv[1]).href", "true")

    def test_exports_are_declarations(self):
        self.expect("export const ex = 1; export default function exf() {}\nexport {ex as ey}", None)
        self.expect("[ex, typeof exf]", "[ 1, 'function' ]")


class Hostile(javascript_case.Case):
    def test_code_that_takes_the_globals_away(self):
        driver = self.fresh()
        driver.run("var kept = 1")
        for code in ("JSON.stringify = null", "JSON = null", "Buffer.from = Buffer.concat = null",
                     "globalThis.Buffer = undefined", "Atomics.store = Atomics.load = null", "Atomics = null",
                     "Object.keys = Object.entries = Object.hasOwn = null", "Number = String = null",
                     "process = undefined", "Promise = null", "setImmediate = setTimeout = null",
                     "Object.prototype.toJSON = () => 7", "require('util').types.isNativeError = null",
                     "globalThis = null", "String.prototype.replace = String.prototype.indexOf = null"):
            driver.run(f"{code}; 0")
            self.assertEqual(driver.run("kept + 1").text, "2", code)
            self.assertEqual(driver.run("throw new RangeError('r')").error["ename"], "RangeError", code)
            self.assertEqual(driver.run("display([1])").displays[0]["text/plain"], "[ 1 ]", code)

    def test_code_that_takes_the_prototypes_away(self):
        """The driver may fail then, but says so."""
        for code in ("Array.prototype[Symbol.iterator] = null",
                     "String.prototype.split = Array.prototype.push = RegExp.prototype.exec = null"):
            driver = self.fresh()
            driver.run(code)
            self.assertEqual(driver.run("throw 1").exit_code, 1, code)

    def test_a_report_that_fails(self):
        driver = self.fresh()
        driver.run("Object.defineProperty(Object.prototype, 'result', {get() { throw 5 }})\n"
                   "process.stderr.write = null; const kept = 1")
        outcome = driver.run("setTimeout(() => { throw 7 }); await new Promise((done) => setTimeout(done, 5)); kept")
        self.assertIn("Uncaught 7\nand TypeError", outcome.stderr)
        self.assertEqual(outcome.text, "1")
        self.assertEqual(driver.run("process.on('uncaughtException', () => { throw 8 })\n"
                                    "setTimeout(() => { throw 9 }); await new Promise((done) => setTimeout(done, 5))")
                         .stderr.splitlines()[:2], ["Uncaught 9", "and 8"])

    def test_an_exit_code_out_of_range(self):
        self.run_code("process.exitCode = 300", exit_code=300 & 0xff)
        self.run_code("process.exitCode = -1", exit_code=255)


if __name__ == "__main__":
    javascript_case.main()
