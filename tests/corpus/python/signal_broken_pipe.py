"""Writing into a pipe that nobody reads: EPIPE where SIGPIPE is ignored, the signal where it is not."""
import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"x")
except BrokenPipeError as error:
    print(error.errno, error.strerror)
print(signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN)
done = subprocess.run("yes | head -n 2; echo ${PIPESTATUS[@]}", shell=True, executable="/bin/bash",
                      capture_output=True, text=True)
print(done.stdout.split())
pid = os.fork()
if pid == 0:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.write(writer, b"x")
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
sys.exit(0)
