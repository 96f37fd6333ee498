# Programs in other languages run from the shell, with data passed both ways.
python3 - "from bash" <<'END'
import sys
print("python got", sys.argv[1])
END
node -e 'console.log("node got", process.argv[1])' "from bash"
echo '[3, 1, 2]' | python3 -c 'import json, sys; print(*sorted(json.load(sys.stdin)))'
sum=$(seq 100 | node -e 'let s = 0; require("readline").createInterface({input: process.stdin}).on("line", (l) => s += +l).on("close", () => console.log(s))')
echo "sum $sum"
perl -e 'print join(",", map { $_ * $_ } 1 .. 5), "\n"'
python3 -c 'import sys; sys.exit(3)'
echo "python status $?"
node -e 'process.exit(4)'
echo "node status $?"
sh -c 'echo "dash or bash: $((1 + 1))"'
printf 'print(sum(range(10)))\n' >made.py
python3 made.py
awk 'BEGIN { print "awk" }'
