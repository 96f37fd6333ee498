# Named pipes and descriptors: a server over two pipes, a lock by descriptor, read-write open.
mkfifo request answer
{
  while read -r line; do
    [[ $line == quit ]] && break
    echo "${#line}:${line^^}"
  done <request >answer
} &
server=$!
exec 3>request 4<answer
for word in hello größe; do
  echo "$word" >&3
  read -r reply <&4
  echo "$reply"
done
echo quit >&3
wait $server
echo "server ended $?"
exec 3>&- 4<&-
mkfifo both
exec 5<>both
echo buffered >&5
read -r text <&5
echo "$text"
exec 5>&-
[[ -p both && ! -f both ]] && echo "a pipe by name"
read -r -t 0.01 nothing <> <(:) || echo "nothing to read: $((  $? > 0 ))"
