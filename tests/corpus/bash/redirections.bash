# Redirections: append, swap of streams, closing, descriptors by number and name, noclobber, blocks.
echo one >file
echo two >>file
cat <file
{ echo out; echo err >&2; } >both 2>&1
sort both
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 | sed 's/^/piped: /'
exec 6>log
echo "to six" >&6
exec 6>&-
cat log
exec {fd}<file
read -r line <&"$fd"
read -r again <&"$fd"
echo "$line $again" $((fd >= 10))
exec {fd}<&-
set -o noclobber
echo x >file 2>/dev/null || echo "not overwritten"
echo x >|file
set +o noclobber
cat file
ls /nonexistent-folder 2>/dev/null || echo "status $?"
ls /nonexistent-folder &>hidden
[[ -s hidden ]] && echo "both were hidden"
echo "to stderr" >&2
while read -r n; do
  echo "$n"
  read -r ignored <<<"inner"
done < <(seq 2)
: >empty
wc -c <empty
echo "closed" >&- 2>/dev/null || echo "cannot write to a closed one"
cat nothing <file 2>/dev/null || echo "cat failed"
(exec >redirected; echo "all of it"; echo "goes there")
cat redirected
echo keep >&1 | cat
printf 'no newline'
