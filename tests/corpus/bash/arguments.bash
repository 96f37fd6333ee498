# Arguments: as given, all at once, shifted, by getopts, in a loop.
echo "$# ${0##*/}"
for arg; do printf '<%s>' "$arg"; done
echo
printf '[%s]' "$*"
(IFS=+; printf '[%s]\n' "$*")
while getopts ':n:vx' option; do
  case $option in
    n) echo "n=$OPTARG" ;;
    v) echo "verbose" ;;
    :) echo "-$OPTARG needs a value" ;;
    ?) echo "unknown -$OPTARG" ;;
    *) echo "other $option" ;;
  esac
done
shift $((OPTIND - 1))
echo "left: $# first: $1 last: ${!#}"
set -- a b c
shift
echo "$1 $#"
set --
echo "none: $#"
