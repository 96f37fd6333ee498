# set -u: an unset variable ends the script, with its name on stderr.
set -u
defined=""
echo "empty is fine: [$defined] [${absent:-default}] [${absent+set}]"
array=()
echo "${#array[@]} ${array[@]+none}"
echo "$missing"
echo never
