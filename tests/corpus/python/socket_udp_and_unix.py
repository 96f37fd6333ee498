"""Datagrams, a Unix socket in the working folder, descriptors passed over it, addresses."""
import array
import os
import socket

a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
b.bind(("127.0.0.1", 0))
for word in (b"one", b"", b"three"):
    a.sendto(word, b.getsockname())
print([b.recvfrom(100)[0] for _ in range(3)])
server = socket.socket(socket.AF_UNIX)
server.bind("talk.sock")
server.listen()
client = socket.socket(socket.AF_UNIX)
client.connect("talk.sock")
peer, _ = server.accept()
reader, writer = os.pipe()
socket.send_fds(client, [b"take this"], [writer])
os.close(writer)
message, fds, _, _ = socket.recv_fds(peer, 100, 1)
os.write(fds[0], b"through the passed descriptor")
os.close(fds[0])
print(message, os.read(reader, 100), os.read(reader, 100))
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
left.send(b"packet 1")
left.send(b"packet 2")
print(right.recv(100), right.recv(3))
print(socket.inet_aton("10.1.2.3"), socket.inet_ntop(socket.AF_INET6, b"\0" * 15 + b"\1"), socket.htons(1))
print(array.array("B", socket.inet_pton(socket.AF_INET6, "fe80::1")).tolist())
