// The same work for 100 inputs, each in a sandbox of its own, ten at a time.
package main

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"strings"

	"github.com/atoll-dev/atoll-go"
)

func run(ctx context.Context) error {
	numbers := make([]int, 100)
	for i := range numbers {
		numbers[i] = i
	}
	square := func(ctx context.Context, sandbox *atoll.Sandbox, number int) (int, error) {
		done, err := sandbox.Run(ctx, atoll.Shell(fmt.Sprintf("echo $((%d * %d))", number, number)), &atoll.RunOptions{Check: true})
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(done.Stdout))
	}
	squares, err := atoll.Map(ctx, atoll.NewClient(nil), numbers, 10, &atoll.CreateOptions{Template: "shell-default"}, square)
	if err != nil {
		return err
	}
	sum := 0
	for _, one := range squares {
		sum += one
	}
	fmt.Printf("%d results, sum %d\n", len(squares), sum)
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
