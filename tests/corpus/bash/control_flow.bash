# Loops and choices: for, while, until, case with patterns and fall-through, break and continue by level.
for i in 1 2 3 4 5; do
  ((i == 2)) && continue
  ((i == 5)) && break
  printf '%d ' "$i"
done
n=3
until ((n == 0)); do printf 'n%d ' $((n--)); done
echo
for a in x y z; do
  for b in 1 2 3; do
    [[ $b == 2 ]] && continue 2
    [[ $a == z ]] && break 2
    printf '%s%s ' "$a" "$b"
  done
done
echo
for word in apple 42 -x "" Banana file.tar.gz; do
  case $word in
    -*) echo "option $word" ;;
    [0-9]*) echo "number $word" ;;
    "") echo "empty" ;;
    [[:upper:]]*) echo "capital $word" ;;
    *.tar.*) echo -n "archive and "; ;;&
    *.gz) echo "compressed" ;;
    a*) echo -n "falls " ;&
    never) echo "through" ;;
    *) echo "other" ;;
  esac
done
if [[ -e /nonexistent ]]; then echo yes; elif ((1 > 2)); then echo maybe; else echo no; fi
i=0
while :; do
  ((++i > 3)) && break
done && echo "left at $i with $?"
select choice in red green; do echo "chose $choice $REPLY"; break; done <<<2 2>/dev/null
for ((;;)); do echo once; break; done
true && false || echo "and-or"
! false && echo negated
for arg in; do echo never; done
{ echo grouped; echo commands; } | wc -l
