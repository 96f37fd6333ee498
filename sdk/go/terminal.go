package atoll

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
)

// TerminalOptions say what a terminal is like. Everything may be absent.
type TerminalOptions struct {
	Rows, Cols int
	// Command for the shell; absent: a shell of its own.
	Command string
	Cwd     string
}

// Terminal is one inside a sandbox: a reader of what it shows and a writer of what is typed. One goroutine reads; others
// may write. Closing it hangs up the program.
type Terminal struct {
	client *Client
	socket *webSocket
	rest   []byte
	exit   *TerminalExit
}

// TerminalExit is how the program of a terminal ended.
type TerminalExit struct {
	ExitCode *int `json:"exit_code"`
	Signal   any  `json:"signal,omitempty"`
}

// Terminal opens one. The context is for the opening.
func (s *Sandbox) Terminal(ctx context.Context, o TerminalOptions) (*Terminal, error) {
	query := url.Values{}
	setNumber(query, "rows", o.Rows)
	setNumber(query, "cols", o.Cols)
	setAll(query, "command", o.Command, "cwd", o.Cwd)
	// The connection outlives the context, which is followed until it is there.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	socket, err := s.client.openWebSocket(lasting, s.path("/pty")+"?"+query.Encode())
	if err != nil {
		cancel()
		if failure := contextError(ctx); failure != nil {
			return nil, failure
		}
		return nil, err
	}
	return &Terminal{client: s.client, socket: &webSocket{stream: closing{socket.stream, cancel}, reader: socket.reader}}, nil
}

type closing struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
}

func (c closing) Close() error {
	defer c.cancel()
	return c.ReadWriteCloser.Close()
}

// Read gives what the terminal shows; io.EOF at the end of the program.
func (t *Terminal) Read(buffer []byte) (int, error) {
	for len(t.rest) == 0 {
		kind, message, err := t.socket.receive()
		if err != nil {
			if t.exit != nil {
				return 0, io.EOF
			}
			return 0, t.client.connectionError(errors.Join(errors.New("the terminal was cut off"), err))
		}
		if kind == frameBinary {
			t.rest = message
			continue
		}
		var said struct{ Exit *TerminalExit }
		if json.Unmarshal(message, &said) == nil && said.Exit != nil {
			t.exit = said.Exit
		}
	}
	count := copy(buffer, t.rest)
	t.rest = t.rest[count:]
	return count, nil
}

// ReadUntil reads up to and with a text; what follows stays.
func (t *Terminal) ReadUntil(ctx context.Context, text string) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = t.socket.close() })
	defer stop()
	var seen strings.Builder
	buffer := make([]byte, 1)
	for !strings.HasSuffix(seen.String(), text) {
		if _, err := t.Read(buffer); err != nil {
			if failure := contextError(ctx); failure != nil {
				return seen.String(), failure
			}
			return seen.String(), err
		}
		seen.WriteByte(buffer[0])
	}
	return seen.String(), nil
}

// Write types.
func (t *Terminal) Write(data []byte) (int, error) {
	if err := t.socket.send(frameBinary, data); err != nil {
		return 0, t.client.connectionError(err)
	}
	return len(data), nil
}

// Resize changes its size.
func (t *Terminal) Resize(rows, cols int) error {
	text, err := json.Marshal(map[string]any{"resize": map[string]int{"rows": rows, "cols": cols}})
	if err != nil {
		return err
	}
	return t.socket.send(frameText, text)
}

// Wait reads to the end of the program; what it shows meanwhile is dropped.
func (t *Terminal) Wait() (*TerminalExit, error) {
	if _, err := io.Copy(io.Discard, t); err != nil {
		return nil, err
	}
	return t.exit, nil
}

// Close hangs up.
func (t *Terminal) Close() error {
	_ = t.socket.send(frameClose, []byte{3, 232})
	return t.socket.close()
}
