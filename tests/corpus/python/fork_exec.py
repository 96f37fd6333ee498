"""fork, exec, pipes, dup2, sessions, statuses: the plain calls."""
import os

reader, writer = os.pipe()
pid = os.fork()
if pid == 0:
    os.close(reader)
    os.dup2(writer, 1)
    os.execvp("echo", ["echo", "from", "exec"])
os.close(writer)
with os.fdopen(reader) as pipe:
    print(pipe.read().strip())
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

reader, writer = os.pipe()
pid = os.fork()
if pid == 0:
    os.setsid()
    grandchild = os.fork()
    if grandchild == 0:
        os.write(writer, b"grandchild ")
        os._exit(8)
    status = os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1])
    os.write(writer, f"saw {status}, leader {os.getsid(0) == os.getpid()}".encode())
    os._exit(0)
os.close(writer)
os.waitpid(pid, 0)
print(os.read(reader, 1000).decode())
try:
    os.execv("/nonexistent/program", ["x"])
except FileNotFoundError as error:
    print(error.strerror)
environment = {"WORD": "replaced", "PATH": os.environ["PATH"]}
os.execvpe("sh", ["sh", "-c", 'echo "$WORD and $#"; exit 6', "sh", "a", "b"], environment)
