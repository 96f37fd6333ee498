# Traps on exit: they run at the end of the script and of a subshell, see the status, and can change it.
cleanup() { echo "cleaning up after $?"; rm -f temp; }
touch temp
trap cleanup EXIT
(trap 'echo "subshell leaves"' EXIT; echo "in subshell")
bash -c 'trap "echo child status \$?" EXIT; exit 4'
echo "child gave $?"
trap 'echo replaced; exit 9' EXIT
false
