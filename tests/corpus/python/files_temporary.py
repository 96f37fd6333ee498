"""Temporary files and folders, spooled ones, and that all of them go away."""
import os
import shutil
import tempfile

with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
    print(os.path.dirname(folder) == tempfile.gettempdir(), oct(os.stat(folder).st_mode & 0o777))
    for i in range(5):
        with open(os.path.join(folder, f"part{i}"), "w") as file:
            file.write(str(i) * 10)
    shutil.copytree(folder, folder + "/copy", ignore=shutil.ignore_patterns("part3"))
    print(sorted(os.listdir(folder)), sorted(os.listdir(folder + "/copy")))
    archive = shutil.make_archive(folder + "/all", "gztar", folder + "/copy")
    shutil.unpack_archive(archive, folder + "/again")
    print(sorted(os.listdir(folder + "/again")))
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("kept while open")
    file.flush()
    print(open(file.name).read(), oct(os.stat(file.name).st_mode & 0o777))
print(os.path.exists(file.name))
with tempfile.SpooledTemporaryFile(max_size=10) as spool:
    spool.write(b"short")
    spool.write(b" and then too long")
    spool.seek(0)
    print(spool.read())
fd, path = tempfile.mkstemp()
os.write(fd, b"by hand")
os.close(fd)
print(os.path.getsize(path))
os.unlink(path)
