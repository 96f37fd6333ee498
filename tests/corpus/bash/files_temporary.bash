# Temporary files and folders, removed by a trap; names with newlines handled by find and read.
folder=$(mktemp -d)
trap 'rm -rf "$folder"; [[ -e $folder ]] || echo removed' EXIT
[[ $(dirname "$folder") == "$TMPDIR" ]] && echo "in TMPDIR"
stat -c %a "$folder"
file=$(mktemp "$folder/XXXX.txt")
[[ $file == *.txt ]] && stat -c %a "$file"
touch "$folder/a b" "$folder/new"$'\n'"line" "$folder/-dash" "$folder/ü"
count=0
while IFS= read -r -d '' name; do ((++count)); done < <(find "$folder" -type f -print0)
echo "$count files"
find "$folder" -type f -name '* b' -print0 | xargs -0 basename
cd "$folder" || exit 1
rm -- -dash
printf '%s\0' * | tr '\0\n' '|?' | sed 's/....\.txt/XXXX.txt/' | tr '|' '\n' | LC_ALL=C sort
cd /
