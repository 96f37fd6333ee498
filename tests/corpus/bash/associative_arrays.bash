# Maps from text to text: counting, odd keys, sorted output, membership, nested by a separator.
declare -A count ages=([ann]=30 [bob]=25 ["key with space"]=7 ["grün"]=8)
while read -rn1 letter; do
  [[ -n $letter ]] && count[$letter]=$((${count[$letter]:-0} + 1))
done <<<mississippi
for letter in "${!count[@]}"; do echo "$letter ${count[$letter]}"; done | sort
echo "${#ages[@]}" "${ages[key with space]}" "${ages[grün]}" "${ages[none]:-missing}"
[[ -v ages[ann] ]] && echo "has ann"
[[ -v ages[eve] ]] || echo "has no eve"
unset 'ages[bob]'
for key in "${!ages[@]}"; do echo "$key"; done | sort
declare -A grid
for x in 0 1 2; do for y in 0 1 2; do grid[$x,$y]=$((x * y)); done; done
echo "${grid[2,2]} ${grid[1,2]}"
declare -A memo
fib() {
  local n=$1
  if ((n < 2)); then result=$n; return; fi
  if [[ -z ${memo[$n]} ]]; then
    fib $((n - 1)); local a=$result
    fib $((n - 2))
    memo[$n]=$((a + result))
  fi
  result=${memo[$n]}
}
fib 80
echo "$result"
