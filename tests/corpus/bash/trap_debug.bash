# Traps on errors, returns and every command, with line numbers.
set -o errtrace
trap 'echo "error $? in line $LINENO"' ERR
false
(exit 7)
if false; then :; fi
false || true
! true
inner() { false; echo "goes on"; }
inner
trap - ERR
trap 'echo "return from ${FUNCNAME[0]}"' RETURN
shown() { :; }
declare -ft shown
shown
trap - RETURN
steps=0
trap '((++steps))' DEBUG
:
:
:
trap - DEBUG
echo "steps $steps"
where() { echo "${FUNCNAME[*]} called in line ${BASH_LINENO[0]}"; }
outer() { where; }
outer
caller_of() { caller 0; }
caller_of | cut -d' ' -f1,2
