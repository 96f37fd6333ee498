# Environment: the usual names, export, for one command only, unset, a clean one.
echo "$LANG $USER"
[[ $HOME == "$PWD" && -d $TMPDIR ]] && echo "folders are set"
WORD=once bash -c 'echo "$WORD"'
echo "${WORD-unset}"
export WORD=exported
env | grep ^WORD
bash -c 'WORD=changed; exit'
echo "$WORD"
export -n WORD
bash -c 'echo "${WORD-not exported}"'
env -i ONLY=this env
unset WORD
echo "${WORD-unset}"
LC_ALL=C bash -c 'echo $LC_ALL'
declare -x MADE="with declare"
printenv MADE
PATH=/nonexistent ls 2>/dev/null || echo "no ls without PATH"
echo ~/file | grep -c "^$PWD/file$"
