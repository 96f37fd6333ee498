# SIGKILL from oneself is status 128 + 9, and no trap runs.
trap 'echo never' EXIT
echo before
kill -KILL $$
