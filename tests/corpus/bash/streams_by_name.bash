# The three streams opened by their names in /dev and /proc.
cat /dev/stdin
echo "to /dev/stdout" >/dev/stdout
echo "to /dev/stderr" >/dev/stderr
echo "to /dev/fd/1" >/dev/fd/1
echo "to /proc/self/fd/2" >/proc/self/fd/2
echo "to both" | tee /dev/stderr
python3 -c 'open("/dev/stdout", "w").write("from python\n")'
echo "closed" >/dev/fd/9 || echo "status $?"
