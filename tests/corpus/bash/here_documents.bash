# Here documents and here strings: expansion or none, tabs removed, several at one time, into variables.
name=World
cat <<END
Hello $name, $((6 * 7)), $(echo command), \$escaped
END
cat <<'END'
Hello $name, $((6 * 7)), `no command`
END
cat <<-END
	tabs at the start are removed
		all of them
	END
cat <<A - <<B
first is replaced
A
second wins
B
tr a-z A-Z <<<"here string $name"
read -r first second rest <<<"one two three four"
echo "$second|$first|$rest"
text=$(cat <<'X'
kept in
  a variable
X
)
echo "$text" | wc -l
while read -r line; do echo "[$line]"; done <<END
back\\slash
	 spaces around	 
END
cat <<END | sort -r
a
b
END
wc -c <<<""
