"""What goes wrong with children: statuses, signals, time-outs, programs that are not there."""
import os
import signal
import subprocess
import sys

try:
    subprocess.run(["sh", "-c", "echo partial; exit 12"], check=True, capture_output=True)
except subprocess.CalledProcessError as error:
    print(error.returncode, error.output, error)
try:
    subprocess.run(["sleep", "60"], timeout=0.05)
except subprocess.TimeoutExpired as error:
    print(type(error).__name__, error.cmd)
for name in (signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1):
    done = subprocess.run([sys.executable, "-c", f"import os; os.kill(os.getpid(), {int(name)})"])
    print(done.returncode, signal.Signals(-done.returncode).name)
try:
    subprocess.run(["no-such-program-anywhere"])
except FileNotFoundError as error:
    print(error.errno, error.filename)
with open("plain.txt", "w") as file:
    file.write("#!/bin/sh\necho ran\n")
try:
    subprocess.run(["./plain.txt"])
except PermissionError as error:
    print(error.errno, error.filename)
os.chmod("plain.txt", 0o755)
print(subprocess.run(["./plain.txt"], capture_output=True).stdout)
