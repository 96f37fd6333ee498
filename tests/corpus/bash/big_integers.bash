# Integers larger than the shell's, digit by digit: a factorial, a sum, a power of two.
multiply() { # digits, low first, times a small number
  local -n digits=$1
  local carry=0 i
  for i in "${!digits[@]}"; do
    ((carry += digits[i] * $2, digits[i] = carry % 10, carry /= 10))
  done
  while ((carry)); do digits+=($((carry % 10))); ((carry /= 10)); done
}
show() { local -n shown=$1; local text; printf -v text %s "${shown[@]}"; rev <<<"$text"; }
factorial=(1)
for ((n = 2; n <= 40; n++)); do multiply factorial $n; done
show factorial
power=(1)
for ((n = 0; n < 128; n++)); do multiply power 2; done
show power
add() {
  local a=$1 b=$2 carry=0 out=
  while [[ -n $a || -n $b || $carry -gt 0 ]]; do
    ((carry += 10#0${a: -1} + 10#0${b: -1})) || true
    out=$((carry % 10))$out
    ((carry /= 10)) || true
    a=${a%?} b=${b%?}
  done
  echo "$out"
}
add 99999999999999999999 1
a=0 b=1
for ((i = 0; i < 150; i++)); do t=$(add $a $b); a=$b b=$t; done
echo "$a"
