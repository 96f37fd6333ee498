# Four megabytes through a pipeline of five programs; only the digest is printed.
seq 1 500000 | sed 's/7/seven/g' | tr -d '\r' | tee copy | sha256sum
wc -lc <copy
sort -rn copy | head -n 2
rm copy
yes abcdefghij | head -c 3000000 | md5sum
