"""Binary records: packing, byte order, views that share memory, arrays."""
import array
import struct

record = struct.Struct("<HbIq4s?d")
packed = record.pack(65535, -1, 4000000000, -2**40, b"abcdef", True, 0.5)
print(record.size, packed.hex(), record.unpack(packed))
print([struct.pack(order + "i", 1).hex() for order in "<>!"], struct.calcsize("@bi"), struct.calcsize("=bi"))
print(struct.unpack(">f", bytes.fromhex("40490fdb"))[0], list(struct.iter_unpack("<h", b"\1\0\2\0\xff\xff")))
buffer = bytearray(8)
struct.pack_into(">I", buffer, 2, 0xDEADBEEF)
view = memoryview(buffer)[2:6]
view[0] = 0
print(buffer.hex(), view.tobytes(), memoryview(bytes(8)).cast("H").shape)
numbers = array.array("h", range(-2, 3))
numbers.byteswap()
print(numbers.tobytes().hex(), numbers.itemsize, array.array("d", [1.5, 2.5]))
for bad in (lambda: struct.pack("B", 256), lambda: struct.unpack("<I", b"abc")):
    try:
        bad()
    except struct.error as error:
        print(error)
