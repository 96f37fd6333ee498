# Functions: dynamic scope, locals, references by name, statuses, redefinition, functions as arguments.
name=global
show() { echo "name is $name"; }
shadow() { local name=local; show; name=changed; show; }
shadow
show
fill() { local -n target=$1; shift; target=("$@" "and ${#} items"); }
fill list one "two words"
printf '[%s] ' "${list[@]}"
echo
status() { return "$1"; }
for code in 0 3 255; do status $code; printf '%d ' $?; done
status 1 || echo "failed as asked"
apply() { local f=$1; shift; for x; do "$f" "$x"; done; }
double() { echo $(($1 * 2)); }
apply double 1 2 3
apply 'echo' x
double() { echo "new $1"; }
double 4
unset -f double
declare -F double || echo "no such function"
outer() { inner() { echo "made by outer"; }; }
outer
inner
defaults() { echo "${1:-none} ${2-unset} ${3+set} $#"; }
defaults "" "" ""
defaults
counter() { ((++count)); }
count=0
for _ in {1..5}; do counter; done
(counter)
echo "$count" "$(type -t counter)" "$(type -t cd)" "$(type -t if)"
