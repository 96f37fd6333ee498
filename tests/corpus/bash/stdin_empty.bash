# Without input stdin is empty at once and not a terminal.
[[ -t 0 ]] || echo "no terminal in"
[[ -t 1 ]] || echo "no terminal out"
read -r line
echo "read: $? [$line]"
cat | wc -c
echo "$(cat)|"
