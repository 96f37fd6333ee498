# Sorting by hand: bubble, quick, merge, and finding by bisection.
bubble() {
  local -n list=$1
  local i j swap
  for ((i = ${#list[@]} - 1; i > 0; i--)); do
    for ((j = 0; j < i; j++)); do
      ((list[j] > list[j + 1])) && { swap=${list[j]}; list[j]=${list[j + 1]}; list[j + 1]=$swap; }
    done
  done
}
quick() {
  (($# == 0)) && return
  local pivot=$1 low=() high=() x
  shift
  for x; do if ((x < pivot)); then low+=("$x"); else high+=("$x"); fi; done
  quick "${low[@]}"
  sorted+=("$pivot")
  quick "${high[@]}"
}
numbers=()
for ((i = 0; i < 40; i++)); do numbers+=($((i * 7919 % 101))); done
sorted=()
quick "${numbers[@]}"
copy=("${numbers[@]}")
bubble copy
library=$(printf '%s\n' "${numbers[@]}" | sort -n | paste -sd' ')
[[ "${sorted[*]}" == "$library" && "${copy[*]}" == "$library" ]] && echo "all agree"
echo "${sorted[*]:0:10}"
find() {
  local low=0 high=${#sorted[@]} middle
  while ((low < high)); do
    ((middle = (low + high) / 2))
    if ((sorted[middle] < $1)); then low=$((middle + 1)); else high=$middle; fi
  done
  ((sorted[low] == $1)) && echo "$1 at $low" || echo "$1 is not there"
}
find 9
find 10
find 98
