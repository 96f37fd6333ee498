# A signal without a trap ends the script with 128 + 15; the exit trap still runs in bash.
trap 'echo "exit trap $?"' EXIT
echo before
kill -TERM $$
sleep 60
echo never
