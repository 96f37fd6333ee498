# About four megabytes on stdout from a loop and from programs.
for ((i = 0; i < 20000; i++)); do
  printf '%06d %*s\n' "$i" $((i * 7919 % 100)) x
done
seq 1 400000
head -c 500000 /dev/zero | tr '\0' z
