# Matching: =~ with groups, loops over matches, character classes, grep and its statuses.
line='2024-05-01 12:00:01 ERROR disk: 93% full (sda1)'
pattern='^([0-9-]+) ([0-9:]+) ([A-Z]+) ([a-z]+): (.*) \(([a-z0-9]+)\)$'
if [[ $line =~ $pattern ]]; then
  for i in "${!BASH_REMATCH[@]}"; do ((i)) && echo "$i ${BASH_REMATCH[i]}"; done
fi
rest='a1 b22 c333'
while [[ $rest =~ [0-9]+ ]]; do
  printf '%s ' "${BASH_REMATCH[0]}"
  rest=${rest#*"${BASH_REMATCH[0]}"}
done
echo
for word in 42 -7 3.14 abc 0x1f ''; do
  [[ $word =~ ^[+-]?[0-9]+$ ]] && echo "$word is an integer"
  [[ $word =~ ^[+-]?[0-9]*\.[0-9]+$ ]] && echo "$word is a fraction"
done
[[ "a.c" =~ ^a\.c$ && ! abc =~ ^a\.c$ ]] && echo "the dot is quoted"
bad='('
[[ x =~ $bad ]]
echo "bad pattern gives $?"
printf '%s\n' alpha beta gamma delta >words
grep -c a words
grep -n 'ta$' words
grep -vE '^(a|b)' words
grep -o 'l.' words
grep -q omega words
echo "no match gives $?"
grep -q x missing-file 2>/dev/null
echo "an error gives $?"
shopt -s nocasematch
[[ HELLO == hello && FOO =~ ^fo+$ ]] && echo "without case"
