package atoll

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"time"
)

const (
	maxEvent = 64 << 20
	idle     = time.Minute // a server that says something every 15 seconds is gone when it is silent so long
)

type serverEvent struct {
	name, id, data string
}

// eventReader takes server-sent events out of a body.
type eventReader struct {
	body   io.ReadCloser
	lines  *bufio.Reader
	lastID string
}

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{body: body, lines: bufio.NewReaderSize(body, 64<<10)}
}

// next gives io.EOF at the end of the body, also where that is in the middle of an event.
func (r *eventReader) next() (serverEvent, error) {
	silent := time.AfterFunc(idle, func() { _ = r.body.Close() })
	defer silent.Stop()
	event := serverEvent{name: "message"}
	var data []string
	for {
		line, err := r.line(silent)
		if err != nil {
			return event, err
		}
		if line == "" {
			if data == nil {
				event.name = "message"
				continue
			}
			event.id, event.data = r.lastID, strings.Join(data, "\n")
			return event, nil
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			event.name = value
		case "id":
			r.lastID = value
		}
	}
}

func (r *eventReader) line(silent *time.Timer) (string, error) {
	var whole []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		silent.Reset(idle)
		whole = append(whole, part...)
		if err == nil {
			return strings.TrimSuffix(strings.TrimSuffix(string(whole), "\n"), "\r"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
		if len(whole) > maxEvent {
			return "", errors.New("an event of the server is larger than 64 MiB")
		}
	}
}
