# awk: sums by key, formats, arrays, functions, fields changed, ranges, several files.
cat >sales <<'END'
2024-01-05 Müller 12.50 tea
2024-01-09 Smith 7 cake
2024-02-01 Müller 30.25 tea
2024-02-03 Ng 0.75 tea
END
awk '{sum[$2] += $3} END {for (n in sum) printf "%s %6.2f\n", n, sum[n]}' sales | sort
awk '$4 == "tea" {n++; t += $3} END {print n, t, t / n}' sales
awk -F'[- ]' '{month[$2]++} END {print month["01"], month["02"]}' sales
awk 'NR == 2, NR == 3 {print NR ": " $NF}' sales
awk '{$3 = ""; print}' sales | head -n 1
awk 'BEGIN {OFS = ";"} {$1 = $1; print}' sales | tail -n 1
awk 'function f(n) {return n < 2 ? n : f(n - 1) + f(n - 2)} BEGIN {print f(18)}'
awk 'BEGIN {s = "hello world"; gsub(/o/, "0", s); print s, length(s), substr(s, 1, 5), index(s, "w"), toupper(s)}'
awk 'BEGIN {n = split("a:b:c", p, ":"); for (i = n; i > 0; i--) printf "%s ", p[i]; print n}'
awk -v x=5 'BEGIN {while (x-- > 0) if (x % 2) continue; else print x}'
echo "3 4" | awk '{print $1 ^ $2, sqrt($1 * $1 + $2 * $2), int(7.9), 7 % 4, 1e3, 0.1 + 0.2}'
awk 'END {exit 3}' sales
echo $?
awk '{print > ($4 ".txt")}' sales
wc -l <tea.txt
awk 'FNR == 1 {print FILENAME}' tea.txt cake.txt
printf 'a b\n\nc d\ne f\n' | awk 'BEGIN {RS = ""} {print NR, NF}'
