# tar, gzip, xz and digests: round trips, members, checks that fail.
mkdir pack
printf 'alpha\n' >pack/one
seq 1 5000 >"pack/two words"
ln -s one pack/link
tar -czf pack.tgz pack
tar -tzf pack.tgz | sort
mkdir out
tar -xzf pack.tgz -C out
diff -r pack out/pack && echo "the same"
readlink out/pack/link
gzip -k pack/one
gunzip -c pack/one.gz
xz -c "pack/two words" | xz -dc | md5sum
sha256sum pack/one
sha1sum <pack/one | cut -c1-20
(cd pack && sha256sum one >sums && sha256sum -c sums)
echo tampered >>pack/one
(cd pack && sha256sum -c sums 2>/dev/null) || echo "check failed"
echo "not an archive" >bad.tgz
tar -xzf bad.tgz 2>/dev/null || echo "tar failed"
echo -n hello | base64
echo aGVsbG8= | base64 -d
echo
cksum <<<text
head -c 1000000 /dev/zero | gzip -9 | wc -c | awk '{print ($1 < 2000)}'
