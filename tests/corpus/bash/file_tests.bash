# Tests on files and strings.
touch file; mkdir folder; ln -s file link; ln -s nowhere broken; mkfifo pipe
echo content >full
chmod 000 file
for test in -e -f -d -L -p -s -x; do
  for name in file folder link broken pipe full missing; do
    # shellcheck disable=SC2086,SC1009,SC1073,SC1072
    [ $test $name ] && printf '%s%s ' "$test" $name
  done
  echo
done
[[ -c /dev/null && -r /dev/zero && ! -b /dev/null ]] && echo "devices"
[[ full -ef full && ! full -ef link ]] && echo "the same file"
[[ -z "" && -n x && a != b && ab == a* && "a*" == "a*" ]] && echo strings
[[ 10 -gt 9 && 10 -ne 9 && 010 -eq 8 ]] && echo numbers
[ -n "" -o 1 -eq 1 ] && echo "old form"
[[ ! ( -e missing && 1 -eq 1 ) || -e missing ]] && echo grouping
[[ -v HOME && ! -v MISSING ]] && echo "variables"
[[ -o errexit ]] || echo "no errexit"
cat broken 2>/dev/null || echo "broken link"
