#!/usr/bin/env python3
"""Tests of the Java SDK.

usage: test.py [--build DIR] prepare | unit | scenarios | package | examples | docs | bench [--quick]
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import testing  # noqa: E402

REPOSITORY = testing.CACHE / "sdk-java/repository"
JARS = ("atoll-sdk-0.1.0.jar", "atoll-sdk-0.1.0-sources.jar", "atoll-sdk-0.1.0-javadoc.jar")


def maven(folder, *words):
    testing.run("mvn", "-q", "-B", f"-Dmaven.repo.local={REPOSITORY}", *words, cwd=folder)


def sources():
    return sorted(path for path in [HERE / "pom.xml", *HERE.glob("src/**/*.java")])


def build(folder):
    """The package with its sources and javadoc, its unit tests run; once for all tests that run at the same time."""
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources())).hexdigest()
    with testing.alone(folder), testing.alone(REPOSITORY.parent):
        if not (folder / "built").exists() or (folder / "built").read_text() != stamp:
            shutil.rmtree(folder / "target", ignore_errors=True)
            testing.copied(HERE, folder, "src", "pom.xml")
            ready = REPOSITORY.parent / hashlib.sha256((HERE / "pom.xml").read_bytes()).hexdigest()[:16]
            maven(folder, *(["-o"] if ready.exists() else []), "package")
            ready.touch()
            (folder / "built").write_text(stamp)
    return folder


def class_path(folder):
    """The package, its tests, and Jackson."""
    jars = [folder / "target" / JARS[0], folder / "target/test-classes", *REPOSITORY.glob("com/fasterxml/jackson/**/*.jar")]
    return ":".join(str(jar) for jar in jars)


def java(folder, *words):
    return ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", class_path(folder), *words]


def unit(folder):
    """`build` has run the tests; what it made must be whole."""
    reports = list(folder.glob("target/surefire-reports/TEST-*.xml"))
    ran = sum(int(re.search(r'tests="(\d+)"', path.read_text())[1]) for path in reports)
    missing = [jar for jar in JARS if not (folder / "target" / jar).exists()]
    if missing or ran == 0:
        sys.exit(f"missing: {missing}; {ran} unit tests ran")
    print(f"{ran} unit tests, jar, sources and javadoc")


CLEAN = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>clean</groupId><artifactId>clean</artifactId><version>1</version>
  <properties><maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <repositories><repository><id>made</id><url>file://{repository}</url></repository></repositories>
  <dependencies><dependency>
    <groupId>dev.atoll</groupId><artifactId>atoll-sdk</artifactId><version>0.1.0</version>
  </dependency></dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
  </plugins></build>
</project>
"""


def package(folder):
    """The jar from a repository by its name, in a Maven project that has nothing else; sources and javadoc beside it."""
    known = REPOSITORY / "dev/atoll"  # Maven's copy, which would outlive this version
    with tempfile.TemporaryDirectory(prefix="atoll-maven-") as name, testing.alone(REPOSITORY.parent):
        place = pathlib.Path(name)
        made = place / "repository/dev/atoll/atoll-sdk/0.1.0"
        made.mkdir(parents=True)
        for jar in JARS:
            shutil.copy(folder / "target" / jar, made)
        shutil.copy(folder / "pom.xml", made / "atoll-sdk-0.1.0.pom")
        for jar, wanted in zip(JARS, ("Sandbox.class", "Sandbox.java", "Sandbox.html"), strict=True):
            if not any(name.endswith(f"dev/atoll/sdk/{wanted}") for name in zipfile.ZipFile(made / jar).namelist()):
                sys.exit(f"{jar} lacks {wanted}")
        clean = place / "clean"
        (clean / "src/main/java").mkdir(parents=True)
        shutil.copy(testing.ROOT / "examples/java/FirstRun.java", clean / "src/main/java")
        (clean / "pom.xml").write_text(CLEAN.format(repository=place / "repository"))
        shutil.rmtree(known, ignore_errors=True)
        try:
            maven(clean, "-o", "-Daether.offline.protocols=file", "compile")
        finally:
            shutil.rmtree(known, ignore_errors=True)
        path = [clean / "target/classes", made / JARS[0], *REPOSITORY.glob("com/fasterxml/jackson/**/*.jar")]
        wanted = (testing.ROOT / "examples/expected/first_run.txt").read_text(encoding="utf-8")
        if (got := testing.printed(["java", "-cp", ":".join(map(str, path)), "FirstRun"], cwd=place)) != wanted:
            sys.exit(f"it printed\n{got}and not\n{wanted}")
    print("dev.atoll:atoll-sdk:0.1.0 works in a clean project")


def docs(folder):
    found = testing.snippets("docs/sdks/java.md", "java")
    imports = sorted({line for code, _ in found for line in re.findall(r"^import .*;$", code, re.MULTILINE)})
    bodies = [re.sub(r"^import .*;\n", "", code, flags=re.MULTILINE) for code, _ in found]
    methods = [f"  static void snippet{at}() throws Exception {{\n{body}  }}\n" for at, body in enumerate(bodies)]
    calls = [f'    System.out.println("\\u001e");\n    snippet{at}();\n' for at in range(len(found))]
    page = folder / "Page.java"
    page.write_text("\n".join([*imports, "public class Page {", *methods, "  public static void main(String[] words) throws Exception {",
                               *calls, "    System.exit(0);", "  }", "}"]))
    testing.check_page(found, testing.printed(java(folder, page), cwd=folder))


def examples(folder):
    names = {name: "".join(word.title() for word in name.split("_")) for name in testing.EXAMPLES}
    testing.check_examples(lambda name: java(folder, testing.ROOT / f"examples/java/{names[name]}.java"))


def main():
    parser = argparse.ArgumentParser(description="tests of the Java SDK")
    parser.add_argument("--build", type=pathlib.Path, default=testing.ROOT / "build/sdk-java")
    parser.add_argument("what", choices=("prepare", "unit", "scenarios", "package", "examples", "docs", "bench"))
    parser.add_argument("--quick", action="store_true", help="of bench: a tenth of the rounds")
    args = parser.parse_args()
    folder = build(args.build.resolve())
    if args.what == "scenarios":
        testing.with_scenarios(*java(folder, "dev.atoll.sdk.scenarios.Scenarios"))
    elif args.what == "bench":
        words = [word for word in java(folder, "dev.atoll.sdk.bench.Overhead") if not word.startswith("-XX:Tiered")]
        print(testing.printed([*words, *(["--quick"] if args.quick else [])]), end="")
    elif args.what == "unit":
        unit(folder)
    elif args.what != "prepare" and "ATOLL_CONTROL" not in os.environ:
        testing.with_server(__file__, "--build", args.build, args.what)
    elif args.what != "prepare":
        {"package": package, "examples": examples, "docs": docs}[args.what](folder)


if __name__ == "__main__":
    main()
