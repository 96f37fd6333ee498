// What a request costs beyond bare net/http, for bench/sdks.py: rows as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/atoll-dev/atoll-go"
)

func bare(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("ATOLL_URL")+"/api/v1/health", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ATOLL_API_KEY"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var body map[string]any
	return json.NewDecoder(answer.Body).Decode(&body)
}

func run(ctx context.Context, rounds int) error {
	client := atoll.NewClient(nil)
	ours := func(ctx context.Context) error {
		_, err := client.Health(ctx)
		return err
	}
	calls := []func(context.Context) error{ours, bare}
	samples := make([][]float64, len(calls))
	for i := range 2 * rounds {
		at := (i + i/2) % 2
		begun := time.Now()
		if err := calls[at](ctx); err != nil {
			return err
		}
		samples[at] = append(samples[at], float64(time.Since(begun).Nanoseconds())/1e6)
	}
	for _, one := range samples {
		slices.Sort(one)
	}
	median := func(at int) float64 { return samples[at][len(samples[at])/2] }
	const row = `{"case": %q, "contender": "Go", "mode": "", "unit": "ms", "value": %f}`
	fmt.Printf("["+row+", "+row+"]\n", "a request beyond the bare HTTP library", median(0)-median(1),
		"a request with the bare HTTP library", median(1))
	return nil
}

func main() {
	rounds := 3000
	if len(os.Args) > 1 {
		rounds = 300
	}
	if err := run(context.Background(), rounds); err != nil {
		log.Fatal(err)
	}
}
