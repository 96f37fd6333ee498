// The files of one sandbox become those of two others, which then go their own ways.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/atoll-dev/atoll-go"
)

func state(ctx context.Context, sandbox *atoll.Sandbox) (string, error) {
	text, err := sandbox.ReadFile(ctx, "state.txt", nil)
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", ", "), err
}

func fork(ctx context.Context, client *atoll.Client, snapshot, name string) error {
	sandbox, err := client.Create(ctx, &atoll.CreateOptions{Snapshot: snapshot})
	if err != nil {
		return err
	}
	defer sandbox.Close()
	if _, err := sandbox.Run(ctx, atoll.Shell("echo "+name+" >> state.txt"), &atoll.RunOptions{Check: true}); err != nil {
		return err
	}
	text, err := state(ctx, sandbox)
	fmt.Println(text)
	return err
}

func run(ctx context.Context) error {
	client := atoll.NewClient(nil)
	base, err := client.Create(ctx, nil)
	if err != nil {
		return err
	}
	defer base.Close()
	if _, err := base.Run(ctx, atoll.Shell("echo prepared > state.txt"), &atoll.RunOptions{Check: true}); err != nil {
		return err
	}
	snapshot, err := base.Snapshot(ctx, "prepared", "")
	if err != nil {
		return err
	}
	for _, name := range []string{"left", "right"} {
		if err := fork(ctx, client, snapshot.ID, name); err != nil {
			return err
		}
	}
	text, err := state(ctx, base)
	if err != nil {
		return err
	}
	fmt.Println("the first still has", text)
	return client.DeleteSnapshot(ctx, snapshot.ID)
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
