# find: by name, type, size, depth, with actions; xargs: batches, placeholders, in parallel.
mkdir -p tree/{a,b}/deep
for i in 1 2 3; do head -c $((i * 1000)) /dev/zero >"tree/a/file$i.bin"; echo "text $i" >"tree/b/note$i.txt"; done
touch tree/b/deep/empty
find tree -name '*.txt' | sort
find tree -type f -size +1500c -printf '%f %s\n' | sort
find tree -maxdepth 1 -mindepth 1 -type d | sort
find tree -empty -type f -o -name deep -type d -empty | sort
find tree -name 'note*' -exec cat {} + | sort
find tree -name '*.bin' -exec sh -c 'basename "$1"' _ {} \; | sort | paste -sd' '
find tree -name 'note2*' -delete
find tree -type f | wc -l
find tree -path '*/deep' -prune -o -type f -print | sort | head -n 2
seq 10 | xargs -n 4 echo
printf '%s\n' x y | xargs -I{} echo "<{}>"
seq 6 | xargs -P 3 -n 1 sh -c 'echo $(($1 * $1))' _ | sort -n | paste -sd' '
printf 'a b\0c d\0' | xargs -0 -n 1 echo
echo "1 2" | xargs false
echo "status $?"
: | xargs -r echo never
find missing-folder 2>/dev/null || echo "find failed"
