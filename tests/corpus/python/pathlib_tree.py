"""pathlib: building, globbing, relative paths, suffixes."""
import pathlib

root = pathlib.Path("project")
for name in ("src/main.py", "src/lib/util.py", "src/lib/data.json", "docs/index.md", "README.md"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {name}\n")
print(sorted(p.as_posix() for p in root.rglob("*.py")))
print(sorted(p.relative_to(root).as_posix() for p in root.glob("*/*") if p.is_file()))
util = root / "src/lib/util.py"
print(util.stem, util.suffix, util.with_suffix(".txt").name, util.parts, util.parents[1].as_posix())
print(pathlib.PurePosixPath("/a/b/../c").parts, pathlib.PurePosixPath("a//b/./c"))
print(util.match("lib/*.py"), pathlib.Path("archive.tar.gz").suffixes)
util.rename(util.with_name("tools.py"))
print(sorted(p.name for p in (root / "src/lib").iterdir()), util.exists())
print(pathlib.Path("x/../project").resolve() == pathlib.Path.cwd() / "project")
print(sum(p.stat().st_size for p in root.rglob("*") if p.is_file()))
