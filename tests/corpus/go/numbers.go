// Numbers: big integers, overflow, floats, primes, sorting, dynamic programming.
package main

import (
	"fmt"
	"math"
	"math/big"
	"sort"
)

func edit(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			best := before
			if x[i] != y[j] {
				best++
			}
			if row[j+1]+1 < best {
				best = row[j+1] + 1
			}
			if row[j]+1 < best {
				best = row[j] + 1
			}
			before, row[j+1] = row[j+1], best
		}
	}
	return row[len(y)]
}

func main() {
	n := big.NewInt(1)
	for i := int64(2); i <= 60; i++ {
		n.Mul(n, big.NewInt(i))
	}
	fmt.Println(n, n.BitLen())
	power := new(big.Int).Exp(big.NewInt(7), big.NewInt(1_000_000_000), big.NewInt(13))
	inverse := new(big.Int).ModInverse(big.NewInt(3), big.NewInt(11))
	fmt.Println(power, inverse, new(big.Rat).Add(big.NewRat(3, 4), big.NewRat(5, 6)))
	var small int8 = 127
	small++
	var word uint32
	word--
	fmt.Println(small, word, -7/2, -7%3, 1<<62, math.MaxInt64, 5&^4, 6^3)
	fmt.Println(0.1+0.2, 1e21, 1e-7, float32(0.1), math.Inf(1), math.NaN(), math.Sqrt(2), math.Round(-2.5), 1/3.0)
	composite := make([]bool, 100001)
	count, last := 0, 0
	for p := 2; p < len(composite); p++ {
		if composite[p] {
			continue
		}
		count, last = count+1, p
		for m := p * p; m < len(composite); m += p {
			composite[m] = true
		}
	}
	fmt.Println(count, last, edit("kitten", "sitting"), edit("grün", "grau"))
	list := make([]int, 40)
	for i := range list {
		list[i] = i * 7919 % 101
	}
	sort.Ints(list)
	at := sort.SearchInts(list, 50)
	fmt.Println(list[:6], at, list[at])
}
