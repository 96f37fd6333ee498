// A sandbox, code in it, and its end. Needs a server: ATOLL_URL and ATOLL_API_KEY name it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/atoll-dev/atoll-go"
)

func run(ctx context.Context) error {
	sandbox, err := atoll.NewClient(nil).Create(ctx, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	done, err := sandbox.Run(ctx, atoll.Code("print(6 * 7)"), nil)
	if err != nil {
		return err
	}
	fmt.Print(done.Stdout)
	fmt.Println("exit code", *done.ExitCode)
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
