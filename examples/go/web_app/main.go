// A web server in a sandbox without network, asked by this program and shown to a browser.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"time"

	"github.com/atoll-dev/atoll-go"
)

func run(ctx context.Context) error {
	sandbox, err := atoll.NewClient(nil).Create(ctx, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	if _, err := sandbox.WriteFile(ctx, "index.html", []byte("<h1>Hello from a sandbox</h1>\n"), ""); err != nil {
		return err
	}
	forever := &atoll.RunOptions{Timeout: atoll.Forever}
	if _, err := sandbox.Start(ctx, atoll.Command("python3", "-m", "http.server", "8000"), forever); err != nil {
		return err
	}

	port := sandbox.Port(8000)
	if err := port.WaitReady(ctx); err != nil {
		return err
	}
	answer, err := port.Get(ctx, "/index.html")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	fmt.Printf("%d %s", answer.StatusCode, page)

	preview, err := port.Preview(ctx, time.Minute)
	if err == nil && len(preview.URLs) > 0 {
		fmt.Println("a browser can open it")
	}
	return err
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
