// Tests first: they fail, the code is mended, they pass.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/atoll-dev/atoll-go"
)

const tests = `
import unittest
from leap import is_leap

class Leap(unittest.TestCase):
    def test_years(self):
        self.assertEqual([year for year in (1900, 2000, 2023, 2024) if is_leap(year)], [2000, 2024])

unittest.main()
`

var attempts = []string{
	"def is_leap(year): return year % 4 == 0\n",
	"def is_leap(year): return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n",
}

func run(ctx context.Context) error {
	sandbox, err := atoll.NewClient(nil).Create(ctx, nil)
	if err != nil {
		return err
	}
	defer sandbox.Close()
	if _, err := sandbox.WriteFile(ctx, "test_leap.py", []byte(tests), ""); err != nil {
		return err
	}
	for _, code := range attempts {
		if _, err := sandbox.WriteFile(ctx, "leap.py", []byte(code), ""); err != nil {
			return err
		}
		tested, err := sandbox.Run(ctx, atoll.Command("python3", "test_leap.py"), nil)
		if err != nil {
			return err
		}
		if tested.Success {
			fmt.Println("passed")
		}
		for _, line := range strings.Split(tested.Stderr, "\n") {
			if strings.HasPrefix(line, "AssertionError") {
				fmt.Println("failed:", line)
			}
		}
	}
	return nil
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
