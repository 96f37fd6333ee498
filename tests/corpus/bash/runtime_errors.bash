# Errors that do not end the script: messages on stderr with name and line, statuses 1 and 2.
echo $((1 / 0))
echo "goes on: $?"
cd /nonexistent-folder
echo "cd: $?"
readonly constant=1
(constant=2)
echo "readonly: $?"
declare -i number=abc-
echo "number: $?"
[ 1 -eq one ]
echo "test: $?"
shift 5
echo "shift: $?"
printf '%d\n' seven
echo "printf: $?"
source missing-file
echo "source: $?"
return 2
echo "return: $?"
