# printf: widths, precision, signs, floats, repetition, time, variables, bad numbers.
printf '%5d|%-5d|%05d|%+d|% d|%x|%X|%#o|%c|%%\n' 42 42 42 42 42 255 255 8 word
printf '%.3f %e %g %G %10.2f|%-10.1f|\n' 3.14159265 12345.678 0.00001 1e20 2.5 2.25
printf '%s-%s\n' a b c
printf '%s\n' one "two three" four
printf '%*s|%-*s|%.*s\n' 8 right 8 left 3 truncated
printf -v stored '%03d' 7
echo "$stored"
printf '%(%Y-%m-%d %H:%M:%S)T\n' 0 1000000000
printf '%b|%s|%q\n' 'tab\tnew\\n' 'tab\t' 'needs quoting $x'
printf '%d %d %d\n' 0x1f 010 "'A"
printf '%d\n' 12abc 2>/dev/null || echo "not a number"
printf '%s %s\n' only
printf '%5.1f%%\n' 12.34
printf '%i items\n' 3
