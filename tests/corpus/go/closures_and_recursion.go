// Closures, recursion, defer order, variadic functions, methods as values.
package main

import (
	"fmt"
	"strings"
)

func counter(start, step int) func() int {
	return func() int { start += step; return start }
}

func hanoi(n int, from, to, by string, moves *[]string) {
	if n == 0 {
		return
	}
	hanoi(n-1, from, by, to, moves)
	*moves = append(*moves, from+to)
	hanoi(n-1, by, to, from, moves)
}

type point struct{ x, y int }

func (p point) add(q point) point { return point{p.x + q.x, p.y + q.y} }
func (p *point) scale(by int)     { p.x *= by; p.y *= by }

func deferred() (result string) {
	defer func() { result += "!" }()
	for i := 0; i < 3; i++ {
		defer func(n int) { result += fmt.Sprint(n) }(i)
	}
	return "result "
}

func sum(numbers ...int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return
}

func main() {
	a, b := counter(0, 1), counter(100, -10)
	fmt.Println(a(), a(), b(), a(), b())
	var moves []string
	hanoi(3, "A", "C", "B", &moves)
	fmt.Println(strings.Join(moves, " "), len(moves))
	p := point{1, 2}
	plus, grow := p.add, p.scale
	grow(10)
	fmt.Println(p, plus(point{5, 5}), fmt.Sprintf("%+v %T", p, p))
	fmt.Println(deferred(), sum(), sum([]int{1, 2, 3}...))
	var fib func(int) int
	memo := map[int]int{}
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		if v, ok := memo[n]; ok {
			return v
		}
		memo[n] = fib(n-1) + fib(n-2)
		return memo[n]
	}
	fmt.Println(fib(80), len(memo))
}
