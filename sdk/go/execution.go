package atoll

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// Work is code or a command: Code, Shell or Command.
type Work struct {
	code    *string
	command any
}

// Code is a program in the language of the options, or of the template.
func Code(text string) Work { return Work{code: &text} }

// Shell is a command for a shell.
func Shell(command string) Work { return Work{command: command} }

// Command is a program and its arguments.
func Command(program string, arguments ...string) Work {
	return Work{command: append([]string{program}, arguments...)}
}

// RunOptions say how something is run. Everything may be absent.
type RunOptions struct {
	Language string
	// Context is the id of one, or "default".
	Context string
	Cwd     string
	Env     map[string]string
	Stdin   []byte
	// StdinOpen: more comes by Write; for Start and Stream.
	StdinOpen bool
	// Timeout is when the server ends it; absent: 5 minutes for code, the server's default for commands.
	Timeout        time.Duration
	MaxOutputBytes int64
	TrackFiles     bool
	IdempotencyKey string
	// Check: an execution that does not end with 0 is an *ExecutionFailedError.
	Check bool
}

func (o *RunOptions) key() string {
	if o == nil {
		return ""
	}
	return o.IdempotencyKey
}

type executeBody struct {
	Code           *string           `json:"code,omitempty"`
	Command        any               `json:"command,omitempty"`
	Language       string            `json:"language,omitempty"`
	Context        string            `json:"context,omitempty"`
	Cwd            string            `json:"cwd,omitempty"`
	Env            map[string]string `json:"env,omitempty"`
	Stdin          string            `json:"stdin_b64,omitempty"`
	StdinOpen      bool              `json:"stdin_open,omitempty"`
	Timeout        *float64          `json:"timeout,omitempty"`
	MaxOutputBytes int64             `json:"max_output_bytes,omitempty"`
	TrackFiles     bool              `json:"track_files,omitempty"`
	Template       string            `json:"template_id,omitempty"`
}

const codeTimeout = 5 * time.Minute

func (w Work) body(options *RunOptions) *executeBody {
	var o RunOptions
	if options != nil {
		o = *options
	}
	if w.code != nil && o.Timeout == 0 {
		o.Timeout = codeTimeout
	}
	return &executeBody{
		w.code, w.command, o.Language, o.Context, o.Cwd, o.Env, base64.StdEncoding.EncodeToString(o.Stdin), o.StdinOpen,
		seconds(o.Timeout), o.MaxOutputBytes, o.TrackFiles, "",
	}
}

// Check is nil for an execution that ended with 0, else an *ExecutionFailedError.
func (e *Execution) Check() error {
	if e.Success {
		return nil
	}
	return &ExecutionFailedError{e}
}

// checked adds the check of the options to a result.
func checked(done *Execution, err error) func(*RunOptions) (*Execution, error) {
	return func(options *RunOptions) (*Execution, error) {
		if err == nil && options != nil && options.Check {
			err = done.Check()
		}
		return done, err
	}
}

func exact(text, encoded string) []byte {
	if encoded != "" {
		if bytes, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return bytes
		}
	}
	return []byte(text)
}

// StdoutBytes are the exact bytes, also where they are no UTF-8.
func (e *Execution) StdoutBytes() []byte { return exact(e.Stdout, e.StdoutB64) }

// StderrBytes are the exact bytes, also where they are no UTF-8.
func (e *Execution) StderrBytes() []byte { return exact(e.Stderr, e.StderrB64) }

// RichResult is one display of a context: MIME type to content.
type RichResult = ExecutionResultResultsItem

// Results are what a context displayed, the value of the last expression last.
func (e *Execution) Results() []RichResult {
	if e.Result == nil {
		return nil
	}
	return e.Result.Results
}

// Value is the last of Results, or one without content.
func (e *Execution) Value() RichResult {
	if results := e.Results(); len(results) > 0 {
		return results[len(results)-1]
	}
	return RichResult{}
}

func (r ExecutionResultResultsItem) text(mime string) string {
	text, _ := r.Data[mime].(string)
	return text
}

// Text is the text/plain of it.
func (r ExecutionResultResultsItem) Text() string { return r.text("text/plain") }

// HTML is the text/html of it.
func (r ExecutionResultResultsItem) HTML() string { return r.text("text/html") }

// PNG are the bytes of its picture.
func (r ExecutionResultResultsItem) PNG() []byte {
	bytes, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(r.text("image/png")), ""))
	if err != nil {
		return nil
	}
	return bytes
}

// Chart is the data of a figure, where the server could tell it.
func (r ExecutionResultResultsItem) Chart() any { return r.Data["application/vnd.atoll.chart+json"] }

// Event is one of an execution: init, stdout, stderr, result, error or complete.
type Event struct {
	Type string
	// Text of stdout and stderr, and its exact bytes.
	Text  string
	Bytes []byte
	// Result of result, Failure of error, Execution of init and complete (without its output).
	Result    *RichResult
	Failure   *ExecutionError
	Execution *Execution
}

func parseEvent(raw serverEvent) (*Event, error) {
	event := &Event{Type: raw.name}
	var output struct{ Text, B64 string }
	var into any
	switch raw.name {
	case "init", "complete":
		event.Execution = &Execution{}
		into = event.Execution
	case "stdout", "stderr":
		into = &output
	case "result":
		event.Result = &RichResult{}
		into = event.Result
	case "error":
		event.Failure = &ExecutionError{}
		into = event.Failure
	default:
		return nil, nil // of a newer server
	}
	if err := json.Unmarshal([]byte(raw.data), into); err != nil {
		return nil, fmt.Errorf("an event of the server is no JSON: %w", err)
	}
	if into == any(&output) {
		event.Text, event.Bytes = output.Text, exact(output.Text, output.B64)
	}
	return event, nil
}

// RunningExecution is something that runs, or has run.
type RunningExecution struct {
	client *Client
	// Execution as it was when it began.
	Execution *Execution
}

// ID of the execution.
func (r *RunningExecution) ID() string { return r.Execution.ExecutionID }

func (r *RunningExecution) path() string { return "/api/v1/executions/" + r.ID() }

// Get gives it as it is now, with its output so far.
func (r *RunningExecution) Get(ctx context.Context) (*Execution, error) {
	return fetch[Execution](ctx, r.client, &call{method: "GET", path: r.path()})
}

// Follow gives its events from the beginning.
func (r *RunningExecution) Follow(ctx context.Context) iter.Seq2[*Event, error] {
	return r.client.events(ctx, nil, r.ID())
}

// Wait waits for its end.
func (r *RunningExecution) Wait(ctx context.Context) (*Execution, error) {
	for _, err := range r.Follow(ctx) {
		if err != nil {
			return nil, err
		}
	}
	return r.Get(ctx)
}

// Cancel interrupts it, and kills it when that does not help.
func (r *RunningExecution) Cancel(ctx context.Context) error {
	return r.client.nothing(ctx, &call{method: "DELETE", path: r.path()})
}

// Signal sends a signal, such as "TERM".
func (r *RunningExecution) Signal(ctx context.Context, signal string) error {
	return r.client.nothing(ctx, &call{method: "POST", path: r.path() + "/signal", json: map[string]string{"signal": signal}})
}

// WriteStdin writes to its input, and ends the input where last is true.
func (r *RunningExecution) WriteStdin(ctx context.Context, data []byte, last bool) error {
	body := func() (io.Reader, error) { return strings.NewReader(string(data)), nil }
	request := &call{method: "POST", path: r.path() + "/stdin", body: body, once: true}
	if last {
		request.query = map[string][]string{"close": {"true"}}
	}
	return r.client.nothing(ctx, request)
}

type stdinWriter struct {
	ctx context.Context
	r   *RunningExecution
}

func (w stdinWriter) Write(data []byte) (int, error) {
	if err := w.r.WriteStdin(w.ctx, data, false); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (w stdinWriter) Close() error { return w.r.WriteStdin(w.ctx, nil, true) }

// Stdin is its input as a writer; needs StdinOpen.
func (r *RunningExecution) Stdin(ctx context.Context) io.WriteCloser { return stdinWriter{ctx, r} }

// run goes to the end: one request where it is short, else its stream is followed.
func (c *Client) run(ctx context.Context, path string, work Work, options *RunOptions) (*Execution, error) {
	request := (&call{method: "POST", path: path, json: work.body(options), timeout: waitTime + 15*time.Second}).withKey(options.key())
	answer, body, err := c.read(ctx, request.set("Prefer", "wait=60"))
	if err != nil {
		return nil, err
	}
	done, err := decoded[Execution](body)
	if err == nil && answer.StatusCode == 202 {
		done, err = (&RunningExecution{c, done}).Wait(ctx)
	}
	return checked(done, err)(options)
}

// events goes through a stream of events. A connection that breaks is made again behind the last event that came, so
// nothing is lost or told twice.
func (c *Client) events(ctx context.Context, begin *call, id string) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		last, failures := "", 0
		for {
			ended, err := c.eventsOnce(ctx, begin, &id, &last, &failures, yield)
			if ended {
				return
			}
			if failure := contextError(ctx); failure != nil {
				err, ended = failure, true
			} else if refused, ok := err.(*Error); ok && refused.Status != 0 {
				ended = true
				if last != "" && refused.Status < 500 && refused.Status != 429 {
					err = interrupted("the stream broke and could not be resumed; the result is kept: get the execution", refused)
				}
			} else if failures++; failures > c.retries {
				err, ended = interrupted("the stream broke and could not be resumed; the result is kept: get the execution", err), true
			} else if err = sleep(ctx, jitter(failures-1)); err != nil {
				ended = true
			}
			if ended {
				yield(nil, err)
				return
			}
		}
	}
}

// eventsOnce reads one connection; whether everything was told, or nobody wants more.
func (c *Client) eventsOnce(
	ctx context.Context, begin *call, id, last *string, failures *int, yield func(*Event, error) bool,
) (bool, error) {
	request := begin
	if *id != "" {
		request = &call{method: "GET", path: "/api/v1/executions/" + *id + "/stream"}
		if *last != "" {
			request.set("Last-Event-ID", *last)
		}
	}
	answer, err := c.open(ctx, request.set("Accept", "text/event-stream"))
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	reader := newEventReader(answer.Body)
	for {
		raw, err := reader.next()
		if err != nil {
			return false, err
		}
		*failures = 0
		if raw.id != "" {
			*last = raw.id
		}
		event, err := parseEvent(raw)
		if err != nil {
			return false, err
		}
		if event == nil {
			continue
		}
		if event.Type == "init" {
			*id = event.Execution.ExecutionID
		}
		if !yield(event, nil) || event.Type == "complete" {
			return true, nil
		}
	}
}
