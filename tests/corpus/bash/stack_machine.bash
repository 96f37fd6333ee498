# An interpreter for postfix sums, a matcher of brackets, a queue.
evaluate() {
  local stack=() token a b
  for token in $1; do
    if [[ $token =~ ^-?[0-9]+$ ]]; then stack+=("$token"); continue; fi
    ((${#stack[@]} < 2)) && { echo "error: too few values for $token"; return 1; }
    b=${stack[-1]} a=${stack[-2]}
    stack=("${stack[@]:0:${#stack[@]}-2}")
    case $token in
      + | - | x) stack+=($((a ${token/x/*} b))) ;;
      /) ((b)) || { echo "error: division by zero"; return 2; }; stack+=($((a / b))) ;;
      *) echo "error: no operator $token"; return 3 ;;
    esac
  done
  echo "${stack[*]}"
}
for line in "3 4 + 2 x" "5 1 2 + 4 x + 3 -" "1 +" "1 0 /" "2 3 ?" "-7 2 /"; do
  evaluate "$line"
  echo "status $?"
done
matched() {
  local open= c i
  for ((i = 0; i < ${#1}; i++)); do
    c=${1:i:1}
    case $c in
      '(') open+=')' ;;
      '[') open+=']' ;;
      '{') open+='}' ;;
      ')' | ']' | '}') [[ ${open: -1} == "$c" ]] || return 1; open=${open%?} ;;
    esac
  done
  [[ -z $open ]]
}
for text in '([]{})' '([)]' '((' ''; do matched "$text" && echo "yes '$text'" || echo "no '$text'"; done
