# Several processes and one file: a lock keeps a counter right; /dev/shm holds files between them.
shared=$(mktemp /dev/shm/corpus.XXXXXX)
trap 'rm -f "$shared"' EXIT
echo 0 >"$shared"
add() {
  for _ in {1..25}; do
    exec 9<>"$shared"
    flock 9
    read -r n <"$shared"
    echo $((n + 1)) >"$shared"
    exec 9>&-
  done
}
for _ in 1 2 3 4; do add & done
wait
cat "$shared"
(flock 8; flock -n "$shared" true || echo "held: $?") 8<"$shared"
flock -n "$shared" echo "free again"
mkdir lock && echo "first has it"
mkdir lock 2>/dev/null || echo "second waits"
dd if=/dev/zero of="$shared" bs=1M count=8 status=none
stat -c %s "$shared"
