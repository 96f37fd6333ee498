# JSON through jq: filters, sums, grouping, raw output, errors.
data='[{"name":"Ann","age":30,"tags":["a","b"]},{"name":"Bób","age":25,"tags":[]},{"name":"Eve","age":30}]'
jq -c '.[] | select(.age > 26) | .name' <<<"$data"
jq -r 'map(.age) | add / length | floor' <<<"$data"
jq -c 'group_by(.age) | map({age: .[0].age, names: map(.name)})' <<<"$data"
jq -r '.[1].name, (.[0].tags | join("+")), (.[2].tags // "none")' <<<"$data"
jq -n --arg word 'it'\''s "quoted"' '{$word, n: (1 + 2), list: [range(3)]}'
jq -e '.[0].missing' <<<"$data" >/dev/null || echo "status $?"
jq . <<<'{bad' 2>/dev/null || echo "not JSON: $?"
jq -Sc . <<<'{"b":1,"a":{"d":2,"c":3}}'
seq 3 | jq -s -c .
