# cut, sort, uniq, paste, join, comm, tr, wc, head, tail, fold, nl, tac, column-free tables.
cat >data <<'END'
3,pear,green
1,apple,red
2,banana,yellow
1,apple,red
END
cut -d, -f2 data | sort | uniq -c | awk '{print $1, $2}'
sort -t, -k3,3r -k1,1n data | head -n 2
sort -u data | paste -sd'|'
join -t, <(sort -u data) <(printf '1,9.5\n3,7.25\n')
comm -13 <(sort data | uniq) <(printf '0\n1,apple,red\n')
tr ',a-z' '\tA-Z' <data | tail -n 1
tr -s 'a' <<<"baaad aaa" | tr -d 'b'
wc -l -w -c <data
fold -w 10 <<<"a long line that is folded"
nl -ba <<<$'x\n\ny' | tr '\t' ':'
tac data | sed -n '1p;$p'
seq -w 8 11 | paste -d' ' - -
seq 5 | head -n -2 | tail -n +2
expand -t4 <<<$'a\tb'
od -An -tx1 <<<abc
printf '%s\n' 10 9 1 2.5 -3 | sort -n | paste -sd' '
printf '%s\n' 1K 2M 900 | sort -h | paste -sd' '
printf '%s\n' v1.10 v1.9 v1.2 | sort -V | paste -sd' '
shuf -e a b c | sort | tr -d '\n'
echo
basename /a/b/c.txt .txt
dirname /a/b/c.txt
seq 0 0.25 1 | paste -sd' '
numfmt --to=iec 1048576
