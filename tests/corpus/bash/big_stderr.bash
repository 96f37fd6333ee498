# Two megabytes on each stream, written in turn.
o=$(head -c 1000 /dev/zero | tr '\0' o)
e=${o//o/e}
for ((i = 0; i < 2000; i++)); do
  echo "out $i $o"
  echo "err $i $e" >&2
done
