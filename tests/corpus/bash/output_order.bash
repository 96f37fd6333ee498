# What the shell and its children write arrives in order; control characters unchanged.
echo "1 echo"
printf '2 printf\n'
/bin/echo "3 program"
(echo "4 subshell")
bash -c 'echo "5 child"'
echo -n "6 partial"
cat <<<" 7 cat"
echo "8 late" | cat
{ echo "9 background"; } &
wait
echo -e '10 carriage\rreturn \e[1mbold\e[0m tab\tbell\a'
printf '11 nul\0end\n'
echo "a" >&2
bash -c 'echo b >&2'
exec 2>&-
echo "12 stderr closed"
echo -n "13 no newline at the end"
