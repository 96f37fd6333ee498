"""TCP on the loopback device: a server thread, several clients, half-close, refused and reused ports."""
import errno
import socket
import threading

server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]


def serve(count):
    for _ in range(count):
        client, _ = server.accept()
        with client:
            data = b""
            while part := client.recv(4096):
                data += part
            client.sendall(str(len(data)).encode() + b":" + data[-5:])


thread = threading.Thread(target=serve, args=(3,))
thread.start()
for payload in (b"hello", b"x" * 300000 + b"after", "naïve".encode()):
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(payload)
        link.shutdown(socket.SHUT_WR)
        print(link.makefile("rb").read())
thread.join()
server.close()
try:
    socket.create_connection(("127.0.0.1", port))
except ConnectionRefusedError as error:
    print(errno.errorcode[error.errno])
with socket.create_server(("127.0.0.1", port)) as again:
    print(again.getsockname()[1] == port, again.family.name)
    try:
        socket.create_server(("127.0.0.1", port))
    except OSError as error:
        print(errno.errorcode[error.errno])
