# What the shell knows about itself: positions, options, names, levels, seconds.
echo "${0##*/} $LINENO ${BASH_SOURCE[0]##*/} $BASH_SUBSHELL ${BASH_VERSINFO[0]}"
f() { echo "${FUNCNAME[0]} at $LINENO from ${BASH_LINENO[0]}, $# arguments, $1"; }
f x y
[[ $- == *h* && $- != *i* ]] && echo "not interactive"
set -o | grep -c '[[:space:]]off$' | awk '{print ($1 > 5)}'
: last argument
echo "$_"
[[ $SECONDS -lt 60 && $EPOCHSECONDS -gt 1600000000 && $PPID -ge 0 ]] && echo "times"
RANDOM=42
first="$RANDOM $RANDOM"
RANDOM=42
[[ $first == "$RANDOM $RANDOM" ]] && echo "seeded"
echo "${BASH_COMMAND%% *}"
echo "$IFS" | od -An -c
[[ $UID -eq $(id -u) && $EUID -eq $UID ]] && echo "user ids agree"
shopt -q expand_aliases || echo "no aliases in scripts"
[[ $OSTYPE == linux* && $MACHTYPE == *linux* ]] && echo linux
echo "$((SHLVL >= 0)) ${PIPESTATUS[0]} ${#BASH_ARGV[@]}"
(return 0 2>/dev/null) && echo sourced || echo executed
