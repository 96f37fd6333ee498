# Parameter expansion: cutting, replacing, case, defaults, lengths, quoting for later use.
path=/usr/local/lib/archive.tar.gz
echo "${path##*/} ${path%/*} ${path%%.*} ${path#*.} ${#path}"
text="the quick brown fox"
echo "${text:4:5}|${text: -3}|${text:4}|${text:0:-4}"
echo "${text/quick/slow}|${text//o/0}|${text/#the/a}|${text/%fox/dog}|${text//[aeiou]}"
echo "${text^}|${text^^}|${text^^[tf]}|$(tr '[:lower:]' '[:upper:]' <<<"$text")"
empty=""
echo "${unset_one:-default}|${empty:-default}|${empty-kept}|${text:+alternative}|${empty:+none}"
: "${assigned:=value}"
echo "$assigned"
quoted="it's \"quoted\" \$HOME \`x\`"
echo "${quoted@Q}"
eval "again=${quoted@Q}"
[[ $again == "$quoted" ]] && echo same
printf '%q\n' "a b*c'd"
echo $'tab\there\nnew \x41 \u20ac \101' "$'not here'"
a=con b=cat
echo "$a$b" "${a}s$b" "$a"'$b' "${b}${a:1}"
repeat=$(printf '%*s' 10 '')
echo "[${repeat// /=-}]"
word=level
reversed=$(rev <<<"$word")
[[ $word == "$reversed" ]] && echo "$word is a palindrome"
[[ abc < abd && 10 < 9 && b > a ]] && echo "compared as text"
echo "${text@U}|${text@u}|${#empty}"
