# Limits that a script sets for itself, in subshells so that they end with them.
(ulimit -n 20; for i in {3..40}; do eval "exec $i</dev/null" 2>/dev/null || { echo "no descriptor $((i >= 18))"; break; }; done)
(ulimit -f 10; trap '' XFSZ; head -c 100000 /dev/zero 2>/dev/null >large; stat -c %s large)
(ulimit -v 30000; bash -c 'x=$(head -c 80000000 /dev/zero | tr "\0" x)' 2>/dev/null || echo "no memory")
ulimit -c
(ulimit -c 0; bash -c 'kill -SEGV $$') 2>/dev/null
echo "crash without a core file: $?"
ls core* 2>/dev/null | wc -l
umask 077
touch private
stat -c %a private
umask 022
nice -n 5 bash -c 'nice'
[[ $(ulimit -s) -ge 1024 ]] && echo "a usual stack"
