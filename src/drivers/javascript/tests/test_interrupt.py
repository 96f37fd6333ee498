"""SIGINT ends the run that is going on, whatever it does, and nothing else."""
import javascript_case


class Interrupt(javascript_case.Case):
    def interrupt(self, code):
        """The code prints `go` by itself when it may be interrupted."""
        self.driver.send(code)
        before = self.driver.until_output("go")
        self.driver.interrupt()
        outcome = self.driver.finish()
        outcome.messages = before.messages + outcome.messages
        self.assertEqual(outcome.error["ename"], "Interrupted", outcome)
        self.assertEqual(outcome.exit_code, 130, outcome)
        self.expect("1 + 1", "2")
        return outcome

    def test_state_is_kept(self):
        self.interrupt("let n = 0; console.log('go'); while (true) n += 1")
        self.assertGreater(int(self.run_code("n").text), 0)

    def test_loops(self):
        self.interrupt("console.log('go'); while (true) {}")
        self.interrupt("await null; console.log('go'); for (;;);")
        self.interrupt("console.log('go'); while (true) await null")
        self.interrupt("while (true) console.log('go')")
        self.interrupt("console.log('go'); 'x'.repeat(100).match(/(x+x+)+y/)")
        self.interrupt("setTimeout(() => { console.log('go'); for (;;); }, 0); await new Promise(() => {})")
        self.interrupt("setImmediate(() => { console.log('go'); for (;;); }); await new Promise(() => {})")
        self.interrupt("process.nextTick(() => { console.log('go'); for (;;); })\n"
                       "await new Promise(() => {})")
        self.interrupt("require('fs').readFile('/dev/null', () => { console.log('go'); for (;;); })\n"
                       "await new Promise(() => {})")

    def test_waits(self):
        self.interrupt("console.log('go'); await new Promise(() => {})")
        self.interrupt("console.log('go'); new Promise(() => {})")
        self.interrupt("console.log('go'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)")
        self.interrupt("require('child_process').execSync('echo go; sleep 1000', {stdio: 'inherit'})")

    def test_a_program_that_interrupts_itself_is_an_error_of_the_run(self):
        outcome = self.run_code("require('child_process').execSync('kill -INT $$')", exit_code=1)
        self.assertEqual(outcome.error["ename"], "Error", outcome)

    def test_neither_catch_nor_finally_sees_it(self):
        outcome = self.interrupt("try { console.log('go'); for (;;); } catch { console.log('caught') }\n"
                                 "finally { console.log('finally') }")
        self.assertEqual(outcome.stdout, "go\n")

    def test_a_loop_that_sleeps_ends_with_its_run(self):
        self.interrupt("let ticks = 0; const sleep = (ms) => new Promise((done) => setTimeout(done, ms))\n"
                       "console.log('go'); while (true) { await sleep(1); ticks += 1 }")
        self.expect("const seen = ticks; await sleep(20); ticks - seen", "0")

    def test_while_the_result_is_made(self):
        self.interrupt("({[require('util').inspect.custom]() { console.log('go'); for (;;); }})")

    def test_several_at_once(self):
        self.driver.send("console.log('go'); while (true) {}")
        self.driver.until_output("go")
        for _ in range(5):
            self.driver.interrupt()
        self.assertEqual(self.driver.finish().exit_code, 130)
        self.expect("2 + 2", "4")

    def test_of_nothing(self):
        self.run_code("process.on('SIGINT', () => console.log('heard'))")
        for _ in range(3):
            self.driver.interrupt()
            self.driver.until_output("heard")
        self.expect("process.removeAllListeners('SIGINT'); 3 + 3", "6")

    def test_the_code_may_listen_too(self):
        self.run_code("process.on('SIGINT', () => console.log('heard'))")
        self.interrupt("console.log('go'); await new Promise(() => {})")
        self.assertEqual(self.run_code("process.removeAllListeners('SIGINT'); 5").text, "5")

    def test_runs_that_wait_start_afterwards(self):
        self.driver.send("console.log('go'); for (;;);")
        self.driver.send("'next'")
        self.driver.until_output("go")
        self.driver.interrupt()
        self.assertEqual(self.driver.finish().exit_code, 130)
        self.assertEqual(self.driver.finish().text, "'next'")


if __name__ == "__main__":
    javascript_case.main()
