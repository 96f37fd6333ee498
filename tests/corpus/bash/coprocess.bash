# A coprocess: questions written, answers read, closing, its status.
coproc CALC { while read -r a op b; do case $op in +) echo $((a + b)) ;; x) echo $((a * b)) ;; *) exit 4 ;; esac; done; }
ask() { echo "$@" >&"${CALC[1]}"; read -r answer <&"${CALC[0]}"; echo "$* = $answer"; }
ask 6 x 7
ask 100 + 23
pid=$CALC_PID
exec {input}>&"${CALC[1]}"
echo "1 ? 2" >&"$input"
wait "$pid"
echo "status $?"
exec {input}>&-
coproc tr a-z A-Z
out=${COPROC[0]}
exec 7<&"$out"
echo "through tr" >&"${COPROC[1]}"
eval "exec ${COPROC[1]}>&-"
cat <&7
