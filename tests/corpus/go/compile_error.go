// Code that does not compile: nothing runs, the status is not 0.
package main

import "fmt"

func main() {
	fmt.Println("never printed")
	var unused int = "text"
}
