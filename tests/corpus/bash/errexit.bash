# set -e: what ends the script and what does not; the status is that of the command that failed.
set -e
if false; then :; fi
false || echo "guarded"
while false; do :; done
! true
((0)) || true
value=$(false) || echo "assignment failed"
(set +e; false; echo "off in here")
check() { false; echo "errors do not count here"; }
check || true
shopt -s inherit_errexit
echo "still running"
(exit 23)
echo never
