"""Files in the working folder: write, append, seek, truncate, rename, links, permissions, errors."""
import os
import stat

with open("notes.txt", "w", encoding="utf-8") as file:
    file.write("première ligne\n")
    file.writelines(f"{i}\n" for i in range(3))
with open("notes.txt", "a", encoding="utf-8") as file:
    print("at", file.tell())
    file.write("last\n")
with open("notes.txt", "r+b") as file:
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(-5, os.SEEK_END)
    print(size, file.read())
    file.truncate(size - 5)
print(open("notes.txt", encoding="utf-8").read().split("\n"))
os.makedirs("a/b/c")
os.rename("notes.txt", "a/b/moved.txt")
os.symlink("b/moved.txt", "a/link")
os.link("a/b/moved.txt", "a/hard")
print(os.readlink("a/link"), os.stat("a/hard").st_nlink, os.path.samefile("a/link", "a/hard"))
os.chmod("a/hard", 0o640)
print(stat.filemode(os.stat("a/b/moved.txt").st_mode), stat.filemode(os.lstat("a/link").st_mode))
for path, kind in (("missing", open), ("a", open), ("a", os.rmdir), ("a/hard/x", os.stat)):
    try:
        kind(path)
    except OSError as error:
        print(type(error).__name__, error.errno, error.strerror, error.filename)
for folder, folders, files in os.walk("a"):
    print(folder, sorted(folders), sorted(files))
with open("sparse", "wb") as file:
    file.seek(50_000_000)
    file.write(b"end")
print(os.stat("sparse").st_size, os.stat("sparse").st_blocks < 1000)
