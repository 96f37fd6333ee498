# Jobs in the background: waiting for all, for each, for the first, statuses, output in order of waiting.
slow() { sleep "0.0$1"; echo "done $1" >"out$1"; return "$1"; }
slow 3 & first=$!
slow 1 & second=$!
wait $first; echo "first $?"
wait $second; echo "second $?"
cat out3 out1
for i in 1 2 3 4; do (exit $((i * 10))) & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}"; printf '%d ' $?; done
echo
wait
echo "all done $?"
sleep 60 & sleeper=$!
(exit 5) &
wait -n
echo "first to end gave $?"
kill $sleeper
wait $sleeper
echo "killed $?"
wait 999999 2>/dev/null
echo "not a child: $?"
jobs -r | wc -l
results=$(for n in 3 1 2; do (echo "$n") & done; wait)
sort <<<"$results" | tr '\n' ' '
echo
coproc_pid=$(bash -c 'sleep 0 & echo $!; wait')
[[ $coproc_pid =~ ^[0-9]+$ ]] && echo "a number"
