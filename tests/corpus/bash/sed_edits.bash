# sed: substitution, addresses, groups, in place, hold space, several commands, deletion.
cat >text <<'END'
first line
second line
# a comment

third LINE
END
sed 's/line/LINE/; s/LINE$/end/' text
sed -n '2p;/^#/p;$=' text
sed '/^#/d;/^$/d' text | wc -l
sed -E 's/^(\w+) (\w+)$/\2 \1/' text | head -n 1
sed 's/line/&&/I2' text | tail -n 1
sed '2,4s/^/> /' text
sed -i.bak 's/first/1st/' text
head -n 1 text text.bak | paste -sd' '
sed -n '1!G;h;$p' <<<$'a\nb\nc' | paste -sd' '
sed 'y/abc/xyz/' <<<aabbcc
sed '1i before' <<<line
sed '1a\after' <<<line
sed 2q text | wc -l
sed -n '/second/,/third/{/#/!p}' text
echo "path/to/file" | sed 's|/|::|g'
sed ':a;N;$!ba;s/\n/+/g' <<<$'1\n2\n3'
echo "größe" | sed 's/ö/oe/; s/./\U&/'
sed --expression='s/a/b/' --quiet <<<a | wc -c
