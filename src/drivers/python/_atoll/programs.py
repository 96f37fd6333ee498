"""Runs a shell command and passes its output on as it comes."""
import os
import selectors
import subprocess
import sys


def stream_program(command):
    """The exit status, negative for a signal."""
    with subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as program, selectors.DefaultSelector() as ready:
        ready.register(program.stdout, selectors.EVENT_READ, sys.stdout)
        ready.register(program.stderr, selectors.EVENT_READ, sys.stderr)
        try:
            while ready.get_map():
                for key, _ in ready.select():
                    data = os.read(key.fd, 1 << 16)
                    if not data:
                        ready.unregister(key.fileobj)
                    elif hasattr(key.data, "buffer"):
                        key.data.buffer.write(data)
                    else:  # captured
                        key.data.write(data.decode("utf-8", "replace"))
        except BaseException:
            program.kill()
            raise
    return program.returncode
