"""Waiting for descriptors: select, poll, epoll, selectors, a pipe that hangs up."""
import os
import select
import selectors
import socket

reader, writer = os.pipe()
print(select.select([reader], [writer], [], 0)[0], select.select([reader], [writer], [], 0)[1] == [writer])
os.write(writer, b"ping")
print(select.select([reader], [], [], 5)[0] == [reader])
poll = select.poll()
poll.register(reader, select.POLLIN)
print([(fd == reader, event == select.POLLIN) for fd, event in poll.poll(5000)])
os.read(reader, 10)
print(poll.poll(0))
os.close(writer)
print([event == select.POLLHUP for _, event in poll.poll(5000)])
left, right = socket.socketpair()
with select.epoll() as epoll:
    epoll.register(left, select.EPOLLIN | select.EPOLLET)
    right.send(b"edge")
    print(len(epoll.poll(5)), len(epoll.poll(0)))
    right.send(b"again")
    print(len(epoll.poll(5)), left.recv(100))
with selectors.DefaultSelector() as selector:
    selector.register(left, selectors.EVENT_READ | selectors.EVENT_WRITE, data="left")
    print([(key.data, mask) for key, mask in selector.select(0)])
    right.close()
    print([(key.data, mask) for key, mask in selector.select(5)], left.recv(10))
flags = os.get_blocking(reader)
os.set_blocking(left.fileno(), False)
print(flags, os.get_blocking(left.fileno()))
