# Counting words, anagrams, Caesar, Roman numerals, wrapping, run lengths.
text='The island sleeps, the tide returns; the sand keeps what the tide forgets.
Nets are thrown, sent far, and come back as a ten-part list of silent things.'
tr -cs 'a-zA-Z' '\n' <<<"$text" | tr A-Z a-z | sort | uniq -c | sort -k1,1nr -k2 | head -n 3 | awk '{print $2, $1}'
for word in nets sent listen silent tide enlist; do
  echo "$(fold -w1 <<<"$word" | sort | tr -d '\n') $word"
done | sort | awk '{g[$1] = g[$1] " " $2} END {for (k in g) print g[k]}' | sort
tr A-Za-z N-ZA-Mn-za-m <<<"${text:0:20}"
fold -s -w 34 <<<"${text//$'\n'/ }"
roman() {
  local n=$1 out= i
  local values=(1000 900 500 400 100 90 50 40 10 9 5 4 1) signs=(M CM D CD C XC L XL X IX V IV I)
  for i in "${!values[@]}"; do while ((n >= values[i])); do out+=${signs[i]}; ((n -= values[i])); done; done
  echo "$out"
}
for n in 4 9 1990 2024 3999; do roman $n; done | paste -sd' '
runs() {
  local out= count=0 i
  for ((i = 0; i < ${#1}; i++)); do
    ((++count))
    [[ ${1:i:1} == "${1:i+1:1}" ]] || { out+=${1:i:1}$count; count=0; }
  done
  echo "$out"
}
runs aaabccdda
for phrase in Racecar "A man, a plan, a canal: Panama" atoll; do
  letters=$(tr -cd a-zA-Z <<<"$phrase" | tr A-Z a-z)
  [[ $letters == "$(rev <<<"$letters")" ]] && echo "palindrome: $phrase"
done
wc -w <<<"$text"
