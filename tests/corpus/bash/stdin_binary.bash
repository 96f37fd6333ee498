# Bytes on stdin, NUL among them, reach programs unchanged.
cat >copy
wc -c <copy
od -An -tx1 <copy
tr '\0' '@' <copy | head -c 12 | od -An -c
mapfile -d '' -t parts <copy
echo "${#parts[@]} parts, the last has ${#parts[-1]} characters"
