// Five megabytes on stdout through a buffer, and a deep recursion that grows the stack.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func down(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + down(n-1)
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i := 0; i < 50000; i++ {
		fmt.Fprintf(out, "%06d %s\n", i, strings.Repeat(string(rune('a'+i%26)), i*7919%180))
	}
	fmt.Fprintln(out, down(1000000))
}
