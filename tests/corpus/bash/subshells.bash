# Subshells: changes stay inside, folders, nested substitution, exit, process numbers.
value=outer
(value=inner; echo "$value"; cd /; exit 3)
echo "$value $?"
pwd_before=$PWD
(cd /usr && :)
[[ $PWD == "$pwd_before" ]] && echo "folder kept"
echo "$(echo "nested $(echo "deeper $(echo deepest)")")"
lines=$(printf 'a\n\nb\n\n\n')
echo "${#lines}"
{ value=group; }
echo "$value"
[[ $BASHPID -eq $$ ]] && echo "main shell"
([[ $BASHPID -ne $$ ]] && echo "another process $BASH_SUBSHELL")
(((1 + 1 == 2)) && (echo "level $BASH_SUBSHELL"))
x=$(exit 7) || echo "status through: $?"
local_status() { local y; y=$(exit 8); echo "kept $?"; local z=$(exit 9); echo "lost $?"; }
local_status
out=$(echo stdout; echo stderr >&2) 2>/dev/null
echo "$out"
both=$( { echo stdout; echo stderr >&2; } 2>&1 | sort)
echo "$both"
export SEEN=yes HIDDEN
bash -c 'echo "${SEEN-no} ${HIDDEN-no} ${value-no}"'
f() { echo "function in child"; }
export -f f
bash -c f
