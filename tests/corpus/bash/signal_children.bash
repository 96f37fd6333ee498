# Children that end by signals: their statuses, messages hidden, stopping and going on, groups, SIGCHLD.
for signal in TERM KILL USR1 PIPE SEGV ABRT; do
  (bash -c "kill -$signal \$\$; sleep 60") 2>/dev/null
  code=$?
  echo "$signal $code $(kill -l $code)"
done
sleep 60 & pid=$!
kill -STOP $pid
for _ in {1..500}; do read -r _ _ state _ <"/proc/$pid/stat"; [[ $state == T ]] && break; sleep 0.01; done
echo "state $state"
kill -CONT $pid
kill -0 $pid && echo "alive"
kill $pid
wait $pid
echo "ended $?"
kill -0 $pid 2>/dev/null || echo "gone"
set -m
trap 'echo "a child ended"' CHLD
(exit 3) &
wait $!
echo "status $?"
trap - CHLD
timeout 0.05 sleep 60
echo "timeout gives $?"
timeout -s KILL 0.05 sleep 60
echo "timeout by force gives $?"
timeout 60 true && echo "in time"
