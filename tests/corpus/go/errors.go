// Errors: wrapping, kinds, panics recovered, and a status given to the system.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

var errEmpty = errors.New("empty")

type parseError struct {
	line int
	err  error
}

func (e *parseError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *parseError) Unwrap() error { return e.err }

func parse(line int, text string) (int, error) {
	if text == "" {
		return 0, &parseError{line, errEmpty}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("parsing: %w", &parseError{line, err})
	}
	return n, nil
}

func safely(name string, act func()) {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Printf("%s: %v\n", name, problem)
		}
	}()
	act()
	fmt.Println(name, "did not panic")
}

func main() {
	for i, text := range []string{"42", "", "x7", "99999999999999999999"} {
		n, err := parse(i, text)
		var where *parseError
		fmt.Println(n, err, errors.Is(err, errEmpty), errors.As(err, &where), errors.Is(err, strconv.ErrRange))
	}
	var list []int
	var table map[string]int
	var nothing *parseError
	zero := 0
	safely("index", func() { fmt.Println(list[len(table)+3]) })
	safely("map", func() { table["k"] = 1 })
	safely("nil", func() { fmt.Println(nothing.line) })
	safely("division", func() { fmt.Println(1 / zero) })
	safely("custom", func() { panic(fmt.Sprint("own ", 7)) })
	safely("fine", func() { delete(table, "k") })
	_, err := os.Open("missing")
	fmt.Println(err, errors.Is(err, os.ErrNotExist))
	fmt.Fprintln(os.Stderr, "leaving with 3")
	defer fmt.Println("never printed")
	os.Exit(3)
}
