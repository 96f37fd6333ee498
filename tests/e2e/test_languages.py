"""atoll run in languages that are compiled first: C, C++, Go, Java, Rust, and TypeScript by node."""
import functools
import unittest

import support
from support import run

# What each language is started with; the names are those that src/drivers/languages.cpp looks for.
PROGRAMS = {"c": "gcc clang cc", "cpp": "g++ clang++ c++", "go": "go /usr/local/go/bin/go", "java": "java",
            "rust": "rustc /usr/local/cargo/bin/rustc", "typescript": "node"}

C = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  printf("%d %s %.1f\n", argc, argc > 1 ? argv[1] : "", sqrt(argc + 2));
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""
CPP = r"""
#include <iostream>
#include <ranges>
#include <thread>
#include <vector>
int main(int argc, char** argv) {
  std::vector<int> numbers{1, 2, 3};
  int sum = 0;
  std::jthread([&] { for (int n : numbers | std::views::reverse) sum += n; }).join();
  std::cout << sum << " " << argc - 1 << std::endl;
}
"""
# Needs no package but the runtime, as all packages are compiled anew in a fresh sandbox.
GO = "package main\nfunc main() { println(\"go\", 6*7); panic(\"end\") }\n"
JAVA = r"""
import java.util.stream.IntStream;
public class Main {
  record Pair(int a, String b) {}
  public static void main(String[] args) {
    System.out.println(new Pair(IntStream.range(0, 5).sum(), String.join("|", args)));
    System.exit(args.length);
  }
}
"""
RUST = r"""
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("{}", words.join("|"));
    std::process::exit(words.len() as i32);
}
"""


@functools.cache
def has(language):
    return run("--", "sh", "-c", f"for p in {PROGRAMS[language]}; do command -v $p; done").out != ""


def needs(language):
    """Skips a test whose language is not in the sandbox's root, in the words of tests/expected_skips.txt."""
    def decorate(test):
        @functools.wraps(test)
        def wrapper(self):
            if not has(language):
                print(f"{language} is not in the sandbox's root")
                print(f"[  SKIPPED ] e2e_languages.{test.__name__}", flush=True)
                self.skipTest(f"no {language} in the sandbox")
            test(self)
        return wrapper
    return decorate


class Compiled(support.Case):
    @needs("c")
    def test_c(self):
        self.expect(run("-l", "c", "-c", C), out="1  1.7\n", err="")
        self.expect(run(self.file("some program.c", C), "3", "-x"), code=3, out="3 3 2.2\n", err="")
        self.expect(run("-l", "c", "-", stdin=C), out="1  1.7\n")

    @needs("cpp")
    def test_cpp(self):
        for name in ("cpp", "c++", "cxx"):
            self.expect(run("-l", name, "-c", CPP, "a", "-b"), out="6 2\n", err="")
        self.expect(run(self.file("main.cc", CPP)), out="6 0\n")

    @needs("go")
    def test_go(self):
        outcome = run("--cpus", "2", "--timeout", "100s", "-l", "go", "-c", GO, timeout=110)
        self.expect(outcome, code=2, out="")
        self.assertIn("go 42\npanic: end\n", outcome.err)

    @needs("java")
    def test_java(self):
        self.expect(run("-l", "java", "-c", JAVA), out="Pair[a=10, b=]\n", err="")
        self.expect(run(self.file("Other.java", JAVA), "x", "y"), code=2, out="Pair[a=10, b=x|y]\n")

    @unittest.skipUnless(support.IS_ROOT, "needs cgroups")
    @needs("java")
    def test_the_heap_of_java_follows_the_limit(self):
        code = "class M { public static void main(String[] a) { System.out.print(Runtime.getRuntime().maxMemory()); } }"
        for words in (("-l", "java", "-c", code), ("--", "java", self.HEAP)):
            mount = ("--mount", f"{self.file('Heap.java', code)}:{self.HEAP}")
            heap = int(self.expect(run("--memory", "320m", *mount, *words)).out)
            self.assertLessEqual(heap, 160 << 20, words)
            self.assertGreater(heap, 100 << 20, words)
        own = run("--memory", "320m", "-e", "JAVA_TOOL_OPTIONS=-Xmx64m", "-l", "java", "-c", code)
        self.assertLessEqual(int(self.expect(own).out), 64 << 20)

    HEAP = "/data/Heap.java"

    @unittest.skipUnless(support.IS_ROOT, "needs cgroups")
    @needs("typescript")
    def test_the_heap_of_node_follows_the_limit(self):
        """A program that wants more is told so by Node.js, and not killed by the kernel."""
        hog = ("--memory", "160m", "--", "node", "-e", "const a = []; for (;;) a.push(new Array(1000).fill(a.length))")
        outcome = run(*hog)
        self.assertIn("heap out of memory", outcome.err)
        self.assertEqual(outcome.code, 134)
        limit = ("node", "-e", "console.log(v8.getHeapStatistics().heap_size_limit / 1048576)")
        self.assertLess(float(self.expect(run("--memory", "160m", "--", *limit)).out), 160)
        own = run("--memory", "160m", "-e", "NODE_OPTIONS=--max-old-space-size=700", "--", *limit)
        self.assertGreater(float(self.expect(own).out), 600)

    @needs("rust")
    def test_rust(self):
        self.expect(run("-l", "rust", "-c", RUST, "a", "b"), code=2, out="a|b\n", err="")

    @needs("typescript")
    def test_typescript(self):
        code = "const n: number = 6; console.log(n * 7, process.argv.slice(2))"
        outcome = run("-l", "ts", "-c", code, "x")
        if "needs node" in outcome.err:
            self.expect(outcome, code=1, out="", err="TypeScript needs node 22.13 or newer\n")
        else:
            self.expect(outcome, out="42 [ 'x' ]\n", err="")


class Failures(support.Case):
    @needs("c")
    def test_a_compile_error_is_the_compilers(self):
        outcome = self.expect(run("-l", "c", "-c", "int main() { return nowhere; }"), code=1, out="")
        self.assertIn("nowhere", outcome.err)
        self.assertIn("main.c:1", outcome.err)

    @needs("java")
    def test_a_compile_error_in_java(self):
        self.assertIn("Main.java:1", self.expect(run("-l", "java", "-c", "class {"), code=1, out="").err)

    @needs("c")
    def test_how_the_program_ends_is_seen(self):
        self.expect(run("-l", "c", "-c", "int main() { return *(volatile int*)0; }"), code=139)
        self.expect(run("-l", "c", "-c", "#include <stdlib.h>\nint main() { exit(77); }"), code=77)

    @needs("c")
    def test_stdin_belongs_to_the_program(self):
        code = "#include <stdio.h>\nint main() { for (int c; (c = getchar()) != EOF;) putchar(c); }"
        self.expect(run("-i", "-l", "c", "-c", code, stdin="to the program"), out="to the program")

    @needs("c")
    def test_the_workspace_stays_clean(self):
        code = "#include <stdlib.h>\nint main() { return system(\"ls\"); }"
        self.expect(run("-l", "c", "-c", code), out="main.c\n")

    def test_what_is_not_installed(self):
        missing = [name for name in PROGRAMS if not has(name)]
        for name in missing:
            outcome = self.expect_failure(run("-l", name, "-c", "x"), "program_not_found", 127)
            self.assertIn(f"{name} is not installed in this sandbox", outcome.err)
        if not missing:
            self.expect_failure(run("--env", "PATH=/nowhere", "-l", "c", "-c", "x"), "program_not_found", 127)

    def test_an_unknown_language_lists_the_known(self):
        outcome = self.expect_failure(run("-l", "cobol", "-c", "x"), "unsupported_language")
        self.assertIn("typescript (ts), c, cpp (c++, cxx), go (golang), java, rust (rs)", outcome.err)


if __name__ == "__main__":
    support.main()
