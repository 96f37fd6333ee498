// A folder goes in, is worked on, and comes back.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-dev/atoll-go"
)

func run(ctx context.Context) error {
	here, err := os.MkdirTemp("", "atoll-files-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(here)
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(here, name+".txt"), []byte(name+"\n"), 0o644); err != nil {
			return err
		}
	}
	sandbox, err := atoll.NewClient(nil).Create(ctx, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	sent, err := sandbox.UploadFolder(ctx, here, "in", nil)
	if err != nil {
		return err
	}
	work := atoll.Shell("mkdir out; for f in in/*; do tr a-z A-Z < $f > out/$(basename $f); done")
	if _, err := sandbox.Run(ctx, work, &atoll.RunOptions{Check: true}); err != nil {
		return err
	}
	back := filepath.Join(here, "back")
	fetched, err := sandbox.DownloadFolder(ctx, "out", back, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%d files sent, %d fetched\n", sent, fetched)
	var words []string
	for _, name := range []string{"a", "b", "c"} {
		text, err := os.ReadFile(filepath.Join(back, name+".txt"))
		if err != nil {
			return err
		}
		words = append(words, strings.TrimSpace(string(text)))
	}
	fmt.Println(strings.Join(words, " "))
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
