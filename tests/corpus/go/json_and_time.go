// JSON, UTC times, regular expressions, checksums.
package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"regexp"
	"time"
)

type item struct {
	Name  string   `json:"name"`
	Price float64  `json:"price,omitempty"`
	Tags  []string `json:"tags"`
	inner int
}

func main() {
	text, _ := json.Marshal([]item{{"tea", 2.5, []string{"a", "ü"}, 1}, {Name: "<none>"}})
	fmt.Println(string(text))
	var items []item
	fmt.Println(json.Unmarshal(text, &items), len(items), items[0].Tags)
	var anything any
	fmt.Println(json.Unmarshal([]byte(`{"b": [1, null, "x"], "a": {"deep": true}}`), &anything), anything)
	fmt.Println(json.Unmarshal([]byte(`{"name": 5}`), &items[0]) != nil, json.Valid([]byte("[1,]")))
	moment := time.Date(2024, 2, 28, 23, 59, 30, 0, time.UTC)
	fmt.Println(moment.Add(time.Minute).Format(time.RFC3339), moment.Unix(), moment.Weekday())
	fmt.Println(moment.YearDay(), moment.AddDate(0, 1, 2).Format("2 Jan 2006"))
	parsed, err := time.Parse("2006-01-02 15:04 -0700", "2023-11-05 01:30 -0500")
	fmt.Println(parsed.UTC(), err, time.Duration(3725)*time.Second)
	pattern := regexp.MustCompile(`(?P<key>\w+)=(\d+)`)
	fmt.Println(pattern.FindAllStringSubmatch("a=1 b=x c=33", -1), pattern.ReplaceAllString("a=1", "$2=$key"))
	sum := fnv.New64a()
	sum.Write([]byte("corpus"))
	fmt.Printf("%x %08x\n", sum.Sum64(), crc32.ChecksumIEEE([]byte("corpus")))
}
