"""Environment: what is set is seen, changes reach children, the usual names are there."""
import os
import subprocess

for name in ("LANG", "PYTHONUNBUFFERED", "USER"):
    print(name, os.environ.get(name))
print(os.environ["HOME"] == os.getcwd(), os.path.isdir(os.environ["TMPDIR"]))
os.environ["CORPUS_WORD"] = "grüße"
os.environ["EMPTY"] = ""
show = 'echo "$CORPUS_WORD ${EMPTY-unset} ${MISSING-unset}"'
print(subprocess.run(["sh", "-c", show], capture_output=True).stdout)
del os.environ["CORPUS_WORD"]
print(os.getenv("CORPUS_WORD"), os.getenv("CORPUS_WORD", "gone"))
print(subprocess.run(["env"], env={"ONLY": "this"}, capture_output=True, text=True).stdout.split())
print(os.path.expanduser("~/x") == os.path.join(os.getcwd(), "x"), os.path.expandvars("$ONLY $LANG"))
