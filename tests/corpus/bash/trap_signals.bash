# Traps on signals sent to oneself: run, ignored, reset, listed, during a wait.
trap 'echo "got USR1"' USR1
trap 'echo "got TERM, going on"' TERM
trap '' HUP
kill -USR1 $$
kill -TERM $$
kill -HUP $$
echo "still here"
trap -p USR1 HUP
trap - USR1
trap -p USR1 | wc -l
(trap - TERM; kill -TERM "$BASHPID"; echo never)
echo "subshell ended with $?"
trap 'hit=yes' USR2
sleep 60 & sleeper=$!
(until [[ -e stop ]]; do kill -USR2 $$; sleep 0.01; done) & signaller=$!
wait $sleeper
echo "wait gave $?, hit: $hit"
trap '' USR2
touch stop
wait $signaller
kill $sleeper
wait 2>/dev/null
bash -c 'trap "echo child cleanup; exit 12" TERM; kill -TERM $$; echo never'
echo "child gave $?"
kill -l 9 15
