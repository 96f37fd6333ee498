# Functions that call themselves: Fibonacci, towers, greatest common divisor, permutations, a tree.
fib() {
  (($1 < 2)) && { echo "$1"; return; }
  echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2)))))
}
hanoi() {
  (($1 == 0)) && return
  hanoi $(($1 - 1)) "$2" "$4" "$3"
  echo "disk $1: $2 -> $3"
  hanoi $(($1 - 1)) "$4" "$3" "$2"
}
gcd() { if (($2 == 0)); then echo "$1"; else gcd "$2" $(($1 % $2)); fi; }
permute() {
  local rest=$2 i
  [[ -z $rest ]] && printf '%s ' "$1"
  for ((i = 0; i < ${#rest}; i++)); do permute "$1${rest:i:1}" "${rest:0:i}${rest:i+1}"; done
}
factorial() { local -i n=$1; ((result = n <= 1 ? 1 : n)); ((n > 1)) && { factorial $((n - 1)); ((result *= n)); }; return 0; }
fib 9
hanoi 3 A C B
gcd 1071 462
permute "" abc
echo
factorial 15
echo "$result"
