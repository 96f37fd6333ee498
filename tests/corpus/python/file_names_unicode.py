"""File names that are not ASCII, not UTF-8, long, or odd."""
import os

names = ["grün.txt", "gru\u0308n.txt", "日本.txt", "🙂", "with space", "-dash", "new\nline", "x" * 255]
for name in names:
    with open(name, "w") as file:
        file.write(name)
found = sorted(name for name in os.listdir(".") if not name.endswith(".py"))
print(len(found), [name if len(name) < 50 else len(name) for name in found])
print(all(open(name).read() == name for name in found))
raw = b"bad\xff\xfename"
os.mkdir(raw)
print([name for name in os.listdir(b".") if b"\xff" in name],
      ascii([n for n in os.listdir(".") if "bad" in n]))
try:
    open("y" * 256, "w")
except OSError as error:
    print(error.errno, error.strerror)
try:
    open("nul\0inside")
except ValueError as error:
    print(error)
