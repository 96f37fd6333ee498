# Primes by sieve, factors, powers under a modulus, perfect numbers, bases.
limit=2000
for ((n = 2; n <= limit; n++)); do prime[n]=1; done
for ((n = 2; n * n <= limit; n++)); do
  ((prime[n])) && for ((m = n * n; m <= limit; m += n)); do prime[m]=0; done
done
count=0 sum=0
for n in "${!prime[@]}"; do ((prime[n])) && ((++count, sum += n, last = n)); done
echo "$count primes, last $last, sum $sum"
power() {
  local -i base=$1 exponent=$2 modulus=$3 result=1
  for (( ; exponent > 0; exponent >>= 1, base = base * base % modulus)); do
    ((exponent & 1)) && ((result = result * base % modulus))
  done
  echo "$result"
}
power 7 1000000000 13
power 2 100 1000007
factor 600851475143 97 4294967295
for n in 6 28 496 500; do
  sum=0
  for ((d = 1; d < n; d++)); do ((n % d)) || ((sum += d)); done
  ((sum == n)) && echo "$n is perfect"
done
to_base() { local n=$1 out=; while ((n)); do out=$((n % $2))$out; ((n /= $2)); done; echo "${out:-0}"; }
to_base 255 2
to_base 100 7
