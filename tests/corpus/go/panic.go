// A panic that nobody recovers: deferred calls run, status 2.
package main

import "fmt"

func main() {
	defer fmt.Println("deferred still runs")
	var list []int
	fmt.Println("before", len(list))
	panic("nobody recovers")
}
