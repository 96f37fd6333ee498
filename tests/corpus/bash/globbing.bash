# File name patterns: * ? [] ** extglob, dot files, no match, braces, quoting that stops them.
mkdir -p tree/sub/deep
touch tree/{a,b,c}.txt tree/.hidden tree/sub/{x,y}.log tree/sub/deep/z.txt "tree/with space.txt" tree/file{1..3}
cd tree || exit 1
echo *.txt
echo file[12] file[!2] ?.txt "*.txt"
echo none*
shopt -s nullglob
echo none* "<- nothing"
shopt -u nullglob
shopt -s dotglob
echo .h* *hid*
shopt -u dotglob
shopt -s globstar
printf '%s ' **/*.txt
echo
shopt -s extglob
echo !(*.txt|sub) @(a|c).txt file+([0-9]) ?(a).txt
(shopt -s failglob; echo nope*) 2>/dev/null || echo "failglob status $?"
set -f
echo *
set +f
for f in *" "*; do echo "<$f>"; done
echo {a,b}{1,2} {01..10..3} {e..a} x{,y,z} {1..3}{a..b} {single} a{b,{c,d}}e
GLOBIGNORE='*.txt'
echo *
