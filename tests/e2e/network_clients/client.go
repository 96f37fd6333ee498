// Go's own client against one host. usage: client HOST SIZE
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(condition bool, what string) {
	if !condition {
		must(fmt.Errorf("%s is wrong", what))
	}
	fmt.Println(what)
}

func ask(method, path string, body io.Reader) io.ReadCloser {
	request, err := http.NewRequest(method, "https://"+os.Args[1]+path, body)
	must(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	must(err)
	return answer.Body
}

func said(body io.ReadCloser) (found struct {
	Line string
	Size int64
}) {
	must(json.NewDecoder(body).Decode(&found))
	body.Close()
	return found
}

func main() {
	size, err := strconv.ParseInt(os.Args[2], 10, 64)
	must(err)
	check(strings.HasPrefix(said(ask("GET", "/", nil)).Line, "GET /"), "fetch")
	count, err := io.Copy(io.Discard, ask("GET", "/big?"+os.Args[2], nil))
	must(err)
	check(count == size, "download")
	check(said(ask("POST", "/up", bytes.NewReader(make([]byte, size)))).Size == size, "upload")
	var seen []string
	lines := bufio.NewScanner(ask("GET", "/stream", nil))
	for lines.Scan() {
		if event := strings.TrimPrefix(lines.Text(), "data: "); event != lines.Text() {
			seen = append(seen, event)
			ask("GET", "/ack", nil).Close()
		}
	}
	check(strings.Join(seen, ",") == "0,1,2", "events")
}
