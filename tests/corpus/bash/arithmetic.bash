# Integers: operators, bases, overflow at 64 bits, short circuits, increments, ternaries.
echo $((7 / 2)) $((-7 / 2)) $((-7 % 3)) $((2 ** 62)) $((1 << 10)) $((0xff & 0x0f)) $((~5)) $((5 ^ 3))
echo $((16#ff)) $((2#1011)) $((36#zz)) $((010)) $((64#_))
echo $((9223372036854775807 + 1)) $((3 > 2 && 2 > 1)) $((0 || 5)) $((!7))
x=5
echo $((x++)) $((++x)) $((x--)) $x $((x += 10, x * 2)) $((x > 10 ? 1 : 2))
((x == 16)) && echo equal
((0)) || echo "zero is false"
let 'y = 3 * (4 + 1)'
echo "$y"
declare -i z=2+3*4
z+=1
echo $z
for ((i = 0, j = 10; i < j; i += 3, j--)); do printf '%d-%d ' $i $j; done
echo
n=27 steps=0
while ((n != 1)); do ((n = n % 2 ? 3 * n + 1 : n / 2, ++steps)); done
echo "collatz $steps"
expr 6 \* 7
expr length "twelve chars"
echo $((10 ** 18)) "$(printf %x 255)" "$(printf %o 8)" $((RANDOM >= 0 && RANDOM < 32768))
a=b b=c c=7
echo $((a)) $((a * 2))
