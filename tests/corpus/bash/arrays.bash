# Arrays: sparse, slices, appending, deleting, copying, lengths, loops over indexes.
numbers=(5 3 "two words" '' 9)
numbers[10]=ten
numbers+=(eleven)
echo "${#numbers[@]}" "${!numbers[@]}" "${numbers[-1]}" "${#numbers[2]}"
printf '<%s>' "${numbers[@]:1:3}"
echo
unset 'numbers[1]'
for i in "${!numbers[@]}"; do printf '%s=%s; ' "$i" "${numbers[i]}"; done
echo
copy=("${numbers[@]}")
echo "${#copy[@]} ${!copy[*]}"
words=(apple banana cherry)
echo "${words[@]/an/AN}" "${words[@]#a}" "${words[@]^}" "${words[@]: -2}"
echo "${words[*]@Q}"
(IFS=,; echo "${words[*]}")
set -- "${words[@]}"
echo "$# $2 ${*: -1}"
reversed=()
for w in "${words[@]}"; do reversed=("$w" "${reversed[@]}"); done
echo "${reversed[@]}"
empty=()
echo "${#empty[@]}" "${empty[@]-none}"
matrix=("1 2 3" "4 5 6")
for row in "${matrix[@]}"; do read -ra cells <<<"$row"; echo $((cells[0] + cells[1] + cells[2])); done
declare -p words
readonly -a fixed=(1 2)
(fixed[0]=9) 2>/dev/null || echo "cannot be changed"
