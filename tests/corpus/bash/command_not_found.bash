# Programs that are missing (127) or cannot be run (126), in the script itself and in children.
no-such-program-anywhere 2>/dev/null
echo $?
touch plain
./plain 2>/dev/null
echo $?
mkdir folder
./folder 2>/dev/null
echo $?
printf '#!/nonexistent/interpreter\n' >bad
chmod +x bad
./bad 2>/dev/null
echo $((($? == 126) || ($? == 127)))
printf 'echo "ran without #!: $0 $1"\n' >script
chmod +x script
./script arg
printf '#!/bin/sh\necho "by sh"; exit 5\n' >script
./script
echo $?
command -v no-such-program-anywhere || echo "not there"
command_not_found_handle() { echo "handler for $1"; return 99; }
another-missing-one x
echo $?
unset -f command_not_found_handle
missing-at-the-end
