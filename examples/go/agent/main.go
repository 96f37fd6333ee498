// An agent with two tools. The model is a script, so that this runs offline; a real one returns the same kind of calls.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/atoll-dev/atoll-go"
)

type step struct {
	tool  string
	input map[string]string
}

var model = []step{
	{"write_file", map[string]string{"path": "numbers.txt", "content": "3\n1\n2\n"}},
	{"run_code", map[string]string{"code": "print(sorted(open('numbers.txt').read()))[0]"}},
	{"run_code", map[string]string{"code": "print(sorted(map(int, open('numbers.txt'))))"}},
}

func use(ctx context.Context, sandbox *atoll.Sandbox, one step) (string, error) {
	if one.tool == "run_code" {
		return sandbox.RunText(ctx, atoll.Code(one.input["code"]), nil)
	}
	file, err := sandbox.WriteFile(ctx, one.input["path"], []byte(one.input["content"]), "")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes", file.Size), nil
}

func run(ctx context.Context) error {
	sandbox, err := atoll.NewClient(nil).Create(ctx, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	seen := ""
	for _, one := range model {
		text, err := use(ctx, sandbox, one)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		seen = lines[len(lines)-1]
		fmt.Printf("%s: %s\n", one.tool, seen)
	}
	fmt.Println("sorted:", seen)
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
