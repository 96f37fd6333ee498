# Files: making, moving, links, permissions, times, sizes, trees.
mkdir -p project/{src,docs}/sub
printf 'line %d\n' {1..5} >project/src/file
cp project/src/file project/docs/copy
ln -s ../src/file project/docs/link
ln project/src/file project/hard
stat -c '%h %s %A' project/src/file
readlink project/docs/link
cat project/docs/link | tail -n 1
mv project/docs/copy "project/docs/new name"
chmod 640 "project/docs/new name"
stat -c '%a %n' project/docs/*
touch -d '2001-02-03 04:05:06 UTC' project/old
TZ=UTC stat -c %y project/old | cut -d. -f1
[[ project/src/file -nt project/old ]] && echo newer
(cd project && find . | sort)
truncate -s 3000000 project/sparse
stat -c '%s' project/sparse
dd if=/dev/zero of=project/zeros bs=1000 count=5 status=none
cmp -n 5000 project/sparse project/zeros && echo "equal so far"
rm -r project/docs
rmdir project 2>/dev/null || echo "not empty"
cat missing 2>/dev/null || echo "no such file: $?"
head -c 7 project/src/file
wc -l <project/src/file
split -l 2 project/src/file part.
ls part.*
rm -rf project part.*
ls | grep -v '\.bash$' | wc -l
