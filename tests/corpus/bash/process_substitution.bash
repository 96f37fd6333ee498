# Process substitution: two streams compared, several outputs, descriptors as files.
printf '%s\n' a b c >one
printf '%s\n' b c d >two
comm -12 <(sort one) <(sort two) | paste -sd' '
diff <(seq 3) <(seq 2 4)
echo "diff status $?"
while read -r a <&3 && read -r b <&4; do printf '%s%s ' "$a" "$b"; done 3<one 4< <(tac two)
echo
seq 10 | tee >(paste -sd+ >plus) >(wc -l >lines) >/dev/null
for _ in {1..500}; do [[ -s plus && -s lines ]] && break; sleep 0.01; done
cat plus lines
cat <(echo first) - <(echo third) <<<second
mapfile -t list < <(printf '%s\n' x y)
echo "${#list[@]}"
paste -d: <(cut -c1 <<<$'ab\ncd') <(cut -c2 <<<$'ab\ncd')
[[ -p /dev/fd/0 ]] < <(true) && echo "a pipe"
