// A table goes in; figures and a chart come out, as a picture and as data.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/atoll-dev/atoll-go"
)

const draw = `
import matplotlib.pyplot as plt
plt.bar(table.month, table.sales)
plt.title("Sales")
plt.show()
`

func run(ctx context.Context) error {
	sandbox, err := atoll.NewClient(nil).Create(ctx, &atoll.CreateOptions{Timeout: 10 * time.Minute})
	if err != nil {
		return err
	}
	defer sandbox.Close()
	if _, err := sandbox.WriteFile(ctx, "sales.csv", []byte("month,sales\nJan,100\nFeb,200\nMar,300\n"), ""); err != nil {
		return err
	}
	python, err := sandbox.OpenContext(ctx, atoll.ContextOptions{Language: "python"})
	if err != nil {
		return err
	}
	must := &atoll.RunOptions{Check: true}
	if _, err := python.Run(ctx, "import pandas; table = pandas.read_csv('sales.csv')", must); err != nil {
		return err
	}
	total, err := python.Run(ctx, "int(table.sales.sum())", must)
	if err != nil {
		return err
	}
	fmt.Println("total", total.Value().Text())

	drawn, err := python.Run(ctx, draw, must)
	if err != nil {
		return err
	}
	for _, shown := range drawn.Results() {
		if picture := shown.PNG(); picture != nil {
			chart, _ := shown.Chart().(map[string]any)
			fmt.Printf("picture saved, chart %q\n", chart["title"])
			return os.WriteFile(filepath.Join(os.TempDir(), "atoll-sales-go.png"), picture, 0o644)
		}
	}
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
