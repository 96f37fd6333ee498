"""Child processes: input, output, a pipeline, a large exchange that would block if done badly."""
import subprocess
import sys

print(subprocess.run(["tr", "a-z", "A-Z"], input="shout\n", capture_output=True, text=True).stdout, end="")
first = subprocess.Popen(["printf", r"b\na\nc\na\n"], stdout=subprocess.PIPE)
second = subprocess.Popen(["sort", "-u"], stdin=first.stdout, stdout=subprocess.PIPE, text=True)
first.stdout.close()
print(second.communicate()[0].split(), first.wait(), second.returncode)
data = bytes(range(256)) * 8192
done = subprocess.run(["cat"], input=data, capture_output=True)
print(done.stdout == data, len(done.stdout))
code = "import sys; text = sys.stdin.read(); print(len(text)); print(len(text), file=sys.stderr); sys.exit(4)"
done = subprocess.run([sys.executable, "-c", code], input="x" * 100000, capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
print(subprocess.check_output("echo $0; cat", shell=True, input=b"piped\n"))
merged = subprocess.run("echo one; echo two >&2; echo three", shell=True, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True)
print(merged.stdout.splitlines())
