# Reading: mapfile, read with fields, delimiters, characters, time-outs, arrays, raw or not.
printf '%s\n' alpha beta gamma >lines
mapfile -t all <lines
echo "${#all[@]} ${all[1]}"
mapfile -t -s 1 -n 1 one <lines
echo "${one[@]}"
IFS=: read -r user _ id rest <<<'root:x:0:0:more:fields'
echo "$user $id $rest"
read -ra words <<<"  several   words here "
echo "${#words[@]} ${words[2]}"
IFS= read -r kept <<<"  spaces kept  "
echo "[$kept]"
read -r trimmed <<<"  spaces gone  "
echo "[$trimmed]"
read folded <<<'a\tb \
joined'
echo "$folded"
read -r -n 3 three <<<abcdef
read -r -N 4 four <<<$'a\nbcd'
echo "$three ${#four}"
read -r -d ';' part <<<'until;semicolon'
echo "$part"
mkfifo silent
exec 8<>silent
read -r -t 0.05 -u 8 never
(($? > 128)) && echo "timed out"
while read -r -u 9 line; do printf '%s,' "$line"; done 9<lines
echo
{ read -r first; read -r second; } <lines
echo "$second $first"
IFS=$',;' read -r a b c <<<'1,2;3'
echo "$a$b$c"
read -r a b <<<'only'
echo "[$a][$b]"
printf 'no newline' | { read -r x || echo "partial: $x"; }
callback() { echo "at $1"; }
mapfile -t -c 2 -C callback _ < <(seq 4)
