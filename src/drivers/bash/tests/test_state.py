"""What a Bash context remembers, also when the code makes its shell exit."""
import glob
import os

import bash_case

MAKE = r"""
x=$'a\nb "c" \\'; readonly constant=9; export shown='ex port'; declare -i number=4+3
declare -A map=([k]=v [two words]='2 w'); list=(1 '2 3' [7]=last); declare -n other=x; declare -u upper=up
f() { cat <<END
in f: $1 $shown
END
}
exported() { echo from below; }; export -f exported
alias greet='echo hello'; shopt -s extglob nullglob; set -o pipefail; umask 027
trap 'echo usr1' USR1; exec 5<<<'a line'; cd /usr
set -- one 'two three'
""".strip()
SHOW = r"""
printf '[%s]' "$x" "$constant" "$number" "${map[two words]}" "${#list[@]}" "${list[7]}" "$other" "$upper"
echo
f arg; bash -c 'exported; echo "$shown"'; greet
shopt -q extglob && shopt -q nullglob && [[ $SHELLOPTS == *pipefail* ]] && echo options
umask; kill -USR1 $$; read -u 5 line && echo "$line"; exec 5<&-; pwd; echo "$#:$2"
(constant=1) 2>&1 | grep -c readonly
""".strip()
SHOWN = """[a
b "c" \\][9][7][2 w][3][last][a
b "c" \\][UP]
in f: arg ex port
from below
ex port
hello
options
0027
usr1
a line
/usr
2:two three
1
"""


class State(bash_case.Case):
    def test_lives_between_runs(self):
        driver = self.fresh()
        self.assertEqual(driver.run(MAKE).exit_code, 0)
        self.assertEqual(driver.run(SHOW).stdout, SHOWN)

    def test_lives_when_the_shell_exits(self):
        for way in ("exit 3", "set -e; false", "set -u; echo $nothing", ": ${nothing:?}", "break"):
            with self.subTest(way):
                driver = self.fresh()
                driver.run(MAKE)
                driver.run(way)
                driver.run("set +eu")
                self.assertEqual(driver.run(SHOW).stdout, SHOWN)

    def test_exit_in_a_function_keeps_the_global_variables(self):
        self.run_code("v=global; inner() { local v=inner w=1; exit 4; }; outer() { local v=outer; inner; }")
        self.run_code("outer", exit_code=4)
        self.expect("echo $v ${w-unset}", "global unset\n")
        self.run_code("assign() { v=changed; declare -g made=new; exit 5; }; assign", exit_code=5)
        self.expect("echo $v $made", "changed new\n")

    def test_large_state_leaves_no_files(self):
        before = set(glob.glob("/tmp/sh-thd*"))
        self.run_code("printf -v large '%*s' 300000 x; exit")
        self.expect("echo ${#large}", "300000\n")
        self.assertEqual(set(glob.glob("/tmp/sh-thd*")), before)

    def test_unset_stays_unset(self):
        self.run_code("unset HOME IFS; export NEW=1; exit")
        self.expect("echo ${HOME-no} ${IFS-no} $NEW; IFS=$' \\t\\n'", "no no 1\n")

    def test_background_jobs_go_on(self):
        self.run_code("sleep 1000 & job=$!; kill -0 $job")
        self.run_code("exit 1", exit_code=1)
        self.run_code("kill -0 $job && kill $job")
        self.expect("sleep 1000 & kill $!; wait $!; echo $?", "143\n")

    def test_same_process_all_along(self):
        self.run_code("exit")
        self.expect("echo $$", f"{self.driver.pid}\n")

    def test_options_of_the_code_do_not_reach_the_driver(self):
        driver = self.fresh()
        driver.run("set -euo pipefail; set -fka; readonly IFS=x1; LC_ALL=C; REPLY=mine\n"
                   "shopt -s nocasematch failglob; printf() { :; }")
        self.assertEqual(driver.run("unset -f printf; echo $-").stdout.strip(" \n"), "aefhkuBc")
        self.assertEqual(driver.run("false").exit_code, 1)
        self.assertEqual(driver.run("env | grep -c __atoll").stdout, "0\n")
        self.assertEqual(driver.run("  echo \"$REPLY\"  ").stdout, "mine\n")
        outcome = driver.run("trap 'echo $LC_ALL' EXIT")
        self.assertEqual((outcome.exit_code, outcome.stderr), (0, ""))

    def test_a_locale_that_is_not_there_is_told_of_once(self):
        driver = self.fresh()
        self.assertIn("cannot change locale", driver.run("export LC_ALL=xx_XX.UTF-8").stderr)
        for code in ("echo é", "if", "echo 1"):
            self.assertNotIn("locale", driver.run(code).stderr)


class Hostile(bash_case.Case):
    def test_variables_of_any_name_may_be_read_only(self):
        """All that were ever tempting as names of the driver's own, and those that Bash itself uses."""
        names = ("action base before complaint ename evalue fd left length line name names option others part"
                 " signal text word IFS LANG LC_ALL MAPFILE OPTIND PATH REPLY").split()
        driver = self.fresh()
        self.assertEqual(driver.run(f"readonly {' '.join(f'{name}=z' for name in names)}").exit_code, 0)
        for code in ("echo é", "exit 3", "x='" + "é" * 70_000 + "'; echo é", "if",
                     "trap 'echo é' EXIT; trap; exit 3"):
            outcome = driver.run(code)
            self.assertEqual(outcome.exit_code, 2 if code == "if" else 3 if "exit" in code else 0, outcome)
            self.assertEqual("é" in outcome.stdout, "é" in code, outcome)
            self.assertEqual((outcome.error or {}).get("ename"), "SyntaxError" if code == "if" else None, outcome)
        self.assertEqual(driver.run(b"echo a\0b").error["evalue"], "the code has a NUL byte in it")
        self.assertEqual(driver.run('echo "$left$REPLY"').stdout, "zz\n")

    def test_functions_named_like_what_the_driver_calls(self):
        names = ("head wc cat printf echo eval local declare exec set unset shift read mapfile return break"
                 " continue exit shopt compgen alias source : true test export readonly type hash command")
        for export in ("", "builtin export -f $n; "):
            driver = self.fresh()
            driver.run(f"kept=1; alias there='echo alias'\nfor n in {names}\n"
                       f"do builtin eval \"$n() {{ builtin echo mine; }}\"; {export}done")
            for code, stdout in (("echo", "mine\n"), ("builtin exit 3", ""), ("exec; exit", "mine\nmine\n"),
                                 ("# " + "x" * 70_000 + "\nhead", "mine\n"), ("if", ""),
                                 ("builtin echo $kept; there", "1\nmine\n")):
                outcome = driver.run(code)
                self.assertEqual(outcome.stdout, stdout, outcome)
                self.assertEqual(outcome.error is not None, code == "if", outcome)

    def test_a_shell_that_can_no_longer_work_ends(self):
        for code in ("set -n", "ulimit -n 4", "ulimit -n 4; exit", "builtin() { :; }", "enable -n builtin",
                     "unset -f $(compgen -A function); unset $(compgen -v) 2>/dev/null"):
            driver = self.fresh()
            driver.send(code)
            self.assertIn(driver.wait(), (0, 70, 127), code)

    def test_traps_of_every_kind_outlive_an_exit(self):
        driver = self.fresh()
        driver.run("trap ': $((++n))' DEBUG; trap 'echo err' ERR; trap 'echo usr1' USR1\n"
                   "trap 'echo int' INT; n=0")
        driver.run("exit 3")
        outcome = driver.run("false; kill -USR1 $$; ((n > 0)) && echo counted; trap -p INT")
        self.assertEqual(outcome.stdout, "err\nusr1\ncounted\ntrap -- 'echo int' INT\n")


class Exits(bash_case.Case):
    def test_status_is_that_of_the_last_command(self):
        for code, status in (("true", 0), ("false", 1), ("(exit 7)", 7), ("exit 42", 42), ("", 0),
                             ("no-such-command", 127), ("set -e; (exit 9); echo no", 9),
                             ("set +e; kill -9 $BASHPID & wait $!", 137)):
            outcome = self.run_code(code, exit_code=status)
            self.assertIsNone(outcome.error, outcome)
            self.assertEqual(outcome.stdout, "")

    def test_an_exec_that_fails(self):
        self.expect("exec no-such-command 2>/dev/null; echo on", "on\n")
        self.expect("exec /etc/passwd 2>/dev/null; echo on", "on\n")
        self.run_code("exit 3", exit_code=3)
        self.expect("echo still here", "still here\n")

    def test_traps_of_the_code_on_exit(self):
        self.expect("trap 'echo bye $?' EXIT; trap -p EXIT", "trap -- 'echo bye $?' EXIT\n")
        self.expect("echo not yet", "not yet\n")
        self.expect("exit 5", "bye 5\n", exit_code=5)
        self.expect("exit 6", "", exit_code=6)
        self.expect("trap 'echo t; exit 9' EXIT; set -e; false", "t\n", exit_code=1)
        self.expect("set +e; (trap 'echo sub' EXIT; echo in)", "in\nsub\n")
        self.expect("trap 'echo no' EXIT; trap - EXIT; exit", "")

    def test_other_traps(self):
        self.expect("trap 'echo err' ERR; false; true", "err\n")
        self.expect("trap - ERR; false; true", "")
        self.expect("trap 'echo term' TERM; kill $$", "term\n")
        self.expect("trap - TERM; trap", "")

    def test_ends_with_the_socket(self):
        driver = self.fresh()
        driver.hang_up()
        self.assertEqual(driver.wait(), 0)


class Descriptors(bash_case.Case):
    def check(self):
        self.expect("ls /proc/self/fd", "0\n1\n2\n3\n")  # 3 is the folder that ls reads
        self.expect("(ls /proc/self/fd | cat); echo $(ls /proc/self/fd)", "0\n1\n2\n3\n0 1 2 3\n")
        self.expect("ls /proc/self/fd & wait", "0\n1\n2\n3\n")
        self.expect("{ echo stray >&3; } 2>/dev/null || echo closed", "closed\n")

    def test_programs_see_only_three(self):
        self.check()
        self.run_code("exit 1", exit_code=1)
        self.check()

    def test_input_is_at_its_end(self):
        self.expect("read line; echo $?; cat", "1\n")

    def test_redirections_stay(self):
        path = os.path.join(self.folder, "log")
        self.run_code(f"exec 7>&1 >{path}; echo first; exit 2", exit_code=2)
        self.expect("echo second; exec 1>&7 7>&-; echo third", "third\n")
        with open(path, encoding="utf-8") as log:
            self.assertEqual(log.read(), "first\nsecond\n")


if __name__ == "__main__":
    bash_case.main()
