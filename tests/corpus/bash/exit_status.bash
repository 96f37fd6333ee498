# Statuses: of commands, of tests, beyond eight bits, of the script itself.
true; echo $?
false; echo $?
[[ a == b ]]; echo $?
test 1 -eq x 2>/dev/null; echo $?
(exit 256); echo $?
(exit -1); echo $?
bash -c 'exit 300'; echo $?
f() { return 42; }
f; echo $?
ls /nonexistent 2>/dev/null; echo $?
echo "last: $(exit 6)$?"
if f; then :; else echo "else sees $?"; fi
case x in x) f ;; esac
exit $(($? + 1))
