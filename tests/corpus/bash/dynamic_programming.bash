# Tables: edit distance, knapsack, coins, longest common part.
edit() {
  local a=$1 b=$2 i j cost best
  local -a row next
  for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; i++)); do
    next=("$i")
    for ((j = 1; j <= ${#b}; j++)); do
      [[ ${a:i-1:1} == "${b:j-1:1}" ]] && cost=0 || cost=1
      ((best = row[j] + 1, best = next[j - 1] + 1 < best ? next[j - 1] + 1 : best))
      ((best = row[j - 1] + cost < best ? row[j - 1] + cost : best))
      next[j]=$best
    done
    row=("${next[@]}")
  done
  echo "${row[-1]}"
}
edit kitten sitting
edit "" abc
edit grün grau
ways=(1)
for coin in 1 2 5 10 20 50 100 200; do
  for ((i = coin; i <= 200; i++)); do ((ways[i] += ways[i - coin])); done
done
echo "${ways[5]} ${ways[50]} ${ways[200]}"
best=()
while read -r weight value; do
  for ((room = 120; room >= weight; room--)); do
    ((candidate = best[room - weight] + value, best[room] = candidate > best[room] ? candidate : best[room]))
  done
done <<END
9 150
68 45
32 65
61 90
12 35
END
echo "${best[120]}"
