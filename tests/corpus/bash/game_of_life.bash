# A cellular automaton on a small board, an elementary one, and a triangle.
board=(.#........ ..#....#.. "###....#.." .......#.. ..........)
step() {
  local next=() y x dy dx n row
  for ((y = 0; y < 5; y++)); do
    row=
    for ((x = 0; x < 10; x++)); do
      n=0
      for dy in -1 0 1; do
        for dx in -1 0 1; do
          ((dx || dy)) && ((y + dy >= 0 && y + dy < 5 && x + dx >= 0)) &&
            [[ ${board[y + dy]:x+dx:1} == "#" ]] && ((++n))
        done
      done
      if ((n == 3)) || { ((n == 2)) && [[ ${board[y]:x:1} == "#" ]]; }; then row+="#"; else row+=.; fi
    done
    next+=("$row")
  done
  board=("${next[@]}")
}
for _ in 1 2; do step; printf '%s\n' "${board[@]}"; echo; done
row=$(printf '%15s1%15s' '' '' | tr ' ' 0)
for _ in {1..6}; do
  tr 01 ' #' <<<"$row" | sed 's/ *$//'
  padded=0${row}0 next=
  for ((i = 0; i < ${#row}; i++)); do next+=$(((30 >> 2#${padded:i:3}) & 1)); done
  row=$next
done
line=(1)
for _ in {1..7}; do
  echo "${line[*]}"
  next=(1)
  for ((i = 1; i < ${#line[@]}; i++)); do next+=($((line[i - 1] + line[i]))); done
  line=("${next[@]}" 1)
done
