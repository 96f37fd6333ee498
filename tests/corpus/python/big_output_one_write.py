"""Eight megabytes in one write call, binary, without a newline at the end."""
import os

block = bytes((i * 31 + i // 251) % 256 for i in range(1 << 16))
data = memoryview(block * 128)
calls = 0
while data:
    data = data[os.write(1, data):]
    calls += 1
