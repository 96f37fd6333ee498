"""What is written by print, os.write, stderr and children arrives complete and in order per stream."""
import os
import subprocess
import sys

print("1 print")
os.write(1, b"2 os.write\n")
subprocess.run(["echo", "3 child"])
sys.stdout.write("4 partial")
sys.stdout.flush()
os.system("echo ' 5 shell'")
if (pid := os.fork()) == 0:
    print("6 forked")
    os._exit(0)
os.waitpid(pid, 0)
os.dup2(1, 9)
with os.fdopen(9, "w") as other:
    other.write("7 duplicate\n")
print("8 carriage\rreturn \x1b[1mbold\x1b[0m tab\tbell\a")
sys.stderr.write("a ")
subprocess.run("echo b >&2", shell=True)
print("c", file=sys.stderr)
os.close(2)
print("9 no newline at the end", end="")
