// Types: interfaces, embedding, type switches, generics, maps and slices that share or do not.
package main

import (
	"fmt"
	"sort"
)

type shape interface {
	area() float64
}
type named struct{ name string }

func (n named) String() string { return "<" + n.name + ">" }

type square struct {
	named
	side float64
}
type circle struct{ radius float64 }

func (s square) area() float64  { return s.side * s.side }
func (c *circle) area() float64 { return 3 * c.radius * c.radius }

type number interface {
	~int | ~float64
}
type celsius float64

func total[T number](values ...T) (sum T) {
	for _, v := range values {
		sum += v
	}
	return
}

func apply[T, U any](values []T, f func(T) U) []U {
	out := make([]U, 0, len(values))
	for _, v := range values {
		out = append(out, f(v))
	}
	return out
}

type stack[T any] struct{ items []T }

func (s *stack[T]) push(item T) { s.items = append(s.items, item) }
func (s *stack[T]) pop() (item T, ok bool) {
	if len(s.items) == 0 {
		return item, false
	}
	item, s.items = s.items[len(s.items)-1], s.items[:len(s.items)-1]
	return item, true
}

func describe(thing any) string {
	switch v := thing.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("integer %v", v)
	case string:
		return "text of " + fmt.Sprint(len(v))
	case fmt.Stringer:
		return "stringer " + v.String()
	case []int:
		return fmt.Sprintf("%d ints", len(v))
	case error:
		return "error " + v.Error()
	default:
		return fmt.Sprintf("other %T", v)
	}
}

func main() {
	shapes := []shape{square{named{"sq"}, 3}, &circle{2}}
	for _, s := range shapes {
		fmt.Println(s.area(), describe(s))
	}
	for _, thing := range []any{nil, 7, "text", []int{1}, fmt.Errorf("e"), 2.5, map[string]int{}} {
		fmt.Print(describe(thing), "; ")
	}
	fmt.Println()
	fmt.Println(total(1, 2, 3), total(1.5, 2), total(celsius(20), celsius(1.5)))
	fmt.Println(apply([]int{1, 2}, func(n int) string { return fmt.Sprint(n * n) }))
	var s stack[string]
	s.push("a")
	s.push("b")
	top, _ := s.pop()
	s.pop()
	_, ok := s.pop()
	fmt.Println(top, ok)
	list := []int{1, 2, 3, 4}
	part := list[1:3]
	part = append(part, 99)
	grown := append(list, 5)
	grown[0] = 100
	fmt.Println(list, part, len(part), cap(part), grown)
	array := [3]int{1, 2, 3}
	copied := array
	copied[0] = 9
	fmt.Println(array, copied, array == [3]int{1, 2, 3})
	ages := map[string]int{"ann": 30, "bob": 25}
	age, ok := ages["eve"]
	delete(ages, "bob")
	names := []string{"c", "a", "b"}
	sort.Strings(names)
	fmt.Println(age, ok, len(ages), ages, names)
}
