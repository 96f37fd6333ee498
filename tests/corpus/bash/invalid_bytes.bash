# Bytes that are not text pass through pipes, files and printf unchanged.
printf '\xff\xfe\x80\xc3\x28 raw\n'
printf 'a\0b\0' | od -An -c
printf '%b' '\0377\0200' | od -An -tx1
for i in {0..255}; do printf "\\x$(printf %02x "$i")"; done >all
wc -c <all
sha256sum <all | cut -c1-16
cat all
echo
value=$(printf 'x\xffy')
echo "${#value}" "$(printf %s "$value" | od -An -tx1)"
file=$'bad\xffname'
: >"$file"
for f in bad*; do printf %s "$f" | od -An -tx1; done
head -c 100000 /dev/zero | tr '\0' '\377' | wc -c
