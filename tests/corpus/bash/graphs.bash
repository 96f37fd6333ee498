# Graphs: breadth first over an adjacency list, shortest ways, order of tasks by tsort, islands in a grid.
declare -A near=([a]="b c f" [b]="a c d" [c]="a b d f" [d]="b c e" [e]="d f" [f]="a c e" [x]="y" [y]="x")
declare -A level=([a]=0)
queue=(a)
while ((${#queue[@]})); do
  node=${queue[0]}
  queue=("${queue[@]:1}")
  for other in ${near[$node]}; do
    [[ -v level[$other] ]] && continue
    level[$other]=$((level[$node] + 1))
    queue+=("$other")
  done
done
for node in a b c d e f x; do printf '%s:%s ' "$node" "${level[$node]-unreached}"; done
echo
declare -A cost=([ab]=7 [ac]=9 [af]=14 [bc]=10 [bd]=15 [cd]=11 [cf]=2 [de]=6 [ef]=9)
declare -A best=([a]=0)
for _ in {1..5}; do
  for road in "${!cost[@]}"; do
    p=${road:0:1} q=${road:1}
    for pair in "$p $q" "$q $p"; do
      read -r from to <<<"$pair"
      [[ -v best[$from] ]] || continue
      way=$((best[$from] + cost[$road]))
      [[ ! -v best[$to] || $way -lt ${best[$to]} ]] && best[$to]=$way
    done
  done
done
for node in a b c d e f; do printf '%s=%s ' "$node" "${best[$node]}"; done
echo
printf '%s\n' "socks shoes" "trousers shoes" "trousers belt" "belt coat" | tsort >order
grep -c . order
tsort <<<$'a b\nb a' 2>/dev/null >loop || echo "a cycle"
grid=("##..#" "#..##" "..#.." "##...")
sink() {
  (($1 < 0 || $2 < 0 || $1 > 3)) && return
  [[ ${grid[$1]:$2:1} == "#" ]] || return
  grid[$1]="${grid[$1]:0:$2}.${grid[$1]:$2+1}"
  ((++size))
  sink $(($1 + 1)) "$2"; sink $(($1 - 1)) "$2"; sink "$1" $(($2 + 1)); sink "$1" $(($2 - 1))
}
for r in 0 1 2 3; do for c in 0 1 2 3 4; do size=0; sink $r $c; ((size)) && printf '%d ' $size; done; done
echo
