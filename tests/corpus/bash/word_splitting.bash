# Quoting and splitting: what IFS does, empty words, globs in values, nested quotes, eval.
count() { echo $#; }
value="a  b   c"
count $value
count "$value"
count "" '' "$unset_one" $unset_one
IFS=:
path="x::y:"
count $path
count "$path"
IFS=$' \t\n'
star='*'
mkdir empty && cd empty || exit 1
count $star
touch f1 f2
count $star
count "$star"
cd ..
list='one "two three"'
count $list
eval "set -- $list"
echo "$# $2"
name=value ref=name
echo "${!ref}"
for i in 1 2; do declare "var_$i=$((i * i))"; done
echo "$var_1 $var_2 ${!var_@}"
command='echo "$((1 + 1))"'
eval "$command"
echo "a"'b'c"d e"'f g' \"h\" \\ '\'
args=(-n "no newline,")
echo "${args[@]}"
echo " then more"
echo "$(echo "inner \"quoted\" $(echo '$x')")"
printf '%s|' "$@" x"$@"y
echo
set -- "1 2" 3
for x in $@; do printf '<%s>' "$x"; done
for x in "$@"; do printf '[%s]' "$x"; done
for x in "$*"; do printf '{%s}' "$x"; done
echo
