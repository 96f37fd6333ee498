# Pipelines: statuses of every part, pipefail, lastpipe, a reader that leaves early.
true | false | true
echo "${PIPESTATUS[@]}"
set -o pipefail
true | (exit 3) | true
echo "status $?"
(exit 4) | (exit 5) | true
echo "the last failure: $?"
set +o pipefail
count=0
seq 3 | while read -r _; do ((count++)); done
echo "in a subshell: $count"
shopt -s lastpipe
seq 3 | while read -r _; do ((count++)); done
echo "in this shell: $count"
yes | head -n 1
echo "${PIPESTATUS[0]}"
! true | false
echo "negated $?"
echo text |& cat
{ echo to out; echo to err >&2; } 2>&1 | sort
printf '%s\n' b a c | tee kept | tr -d '\n'
echo
sort kept | paste -sd,
time_taken=$( { TIMEFORMAT=%R; time true; } 2>&1)
[[ $time_taken == 0.0* ]] && echo timed
: | echo "stdin closed is fine"
