"""zlib, gzip, bz2, lzma, zip and tar round trips; digests and checksums."""
import base64
import bz2
import gzip
import hashlib
import hmac
import io
import lzma
import tarfile
import zipfile
import zlib

data = b"".join(b"%d %s\n" % (i, b"abc" * (i % 5)) for i in range(2000))
for module in (zlib, gzip, bz2, lzma):
    small = module.compress(data)
    print(module.__name__, module.decompress(small) == data, len(small) < len(data) // 2)
print(zlib.crc32(data), zlib.adler32(data))
for name in ("md5", "sha1", "sha256", "sha3_256", "blake2b"):
    print(name, hashlib.new(name, data).hexdigest()[:32])
print(hmac.new(b"key", data, "sha256").hexdigest()[:16],
      hashlib.pbkdf2_hmac("sha1", b"pw", b"salt", 1000).hex())
print(hashlib.scrypt(b"pw", salt=b"salt", n=16, r=8, p=1, dklen=16).hex())
print(base64.b64encode(b"\xff\xfe\xfd"), base64.urlsafe_b64encode(b"\xff\xfe\xfd"),
      base64.b85encode(b"corpus"))
with zipfile.ZipFile("pack.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("a/ä.txt", "inside")
    archive.writestr("data.bin", data)
with zipfile.ZipFile("pack.zip") as archive:
    print(archive.namelist(), archive.read("a/ä.txt"), archive.testzip())
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w:xz") as tar:
    entry = tarfile.TarInfo("note")
    entry.size = 5
    tar.addfile(entry, io.BytesIO(b"hello"))
buffer.seek(0)
print([(m.name, m.size) for m in tarfile.open(fileobj=buffer)])
try:
    zlib.decompress(b"not compressed")
except zlib.error as error:
    print(error)
