# Text beyond ASCII: lengths in characters and bytes, slices, case, combining marks, emoji.
for word in naïve $'nai\u0308ve' Straße 日本語 한국어 שלום 🙂 '👩‍👧'; do
  bytes=$(printf %s "$word" | wc -c)
  echo "$word ${#word} $bytes ${word:0:2} ${word^^}"
done
text="größe: 10 €"
echo "${text/ö/o}" "${text:2:3}" "${text//[^[:ascii:]]/?}" "${text%%:*}"
printf '%s|%5s|%-5s|%.2s\n' é é é éàü
printf '\u00e9 \U1F600 %b\n' '\u4e2d'
printf %d\\n "'é"
[[ ñ == [[:alpha:]] ]] && echo "a letter"
[[ 日 =~ ^.$ ]] && echo "one character"
(LC_ALL=C; [[ 日 =~ ^.$ ]] || echo "three bytes"; echo "${#text}")
ünder=x 2>/dev/null || echo "not a name"
mkdir "ordner mit ä" && cd "ordner mit ä" && touch 日本 && ls && basename "$PWD"
printf '%s\n' ä z a B é | LC_ALL=C sort | tr '\n' ' '
echo
echo "añb" | rev
