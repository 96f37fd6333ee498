package atoll

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	longestWait = time.Minute // a server that asks for more is told to the caller
	firstWait   = 250 * time.Millisecond
	mostWait    = 8 * time.Second
	maxProblem  = 1 << 20
)

// call is one request, which may take several attempts.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	json         any
	// body is made anew for each attempt; a reader that cannot be is sent once.
	body     func() (io.Reader, error)
	bodyOnce io.Reader
	// timeout is until the head of the answer; 0: the client's, negative: none.
	timeout time.Duration
	// repeatable: a repetition does no harm, also for a POST without an idempotency key.
	repeatable bool
	// once: it does harm, whatever the method is.
	once bool
}

func (c *call) set(name, value string) *call {
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(name, value)
	return c
}

func (c *call) withKey(key string) *call {
	if key == "" {
		key = newKey()
	}
	return c.set("Idempotency-Key", key)
}

func (c *call) mayRepeat() bool {
	if c.once || c.bodyOnce != nil {
		return false
	}
	return c.repeatable || c.method != http.MethodPost || c.header.Get("Idempotency-Key") != ""
}

func newKey() string {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:]) // never fails on Linux
	return hex.EncodeToString(bytes[:])
}

func jitter(attempt int) time.Duration {
	most := min(mostWait, firstWait<<min(attempt, 10))
	part, err := rand.Int(rand.Reader, big.NewInt(int64(most/2)))
	if err != nil {
		return most
	}
	return most/2 + time.Duration(part.Int64())
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// encodePath makes a path fit for a URL. What leads up would change the URL itself, so it is refused here.
func encodePath(path string) (string, error) {
	var parts []string
	for _, part := range strings.Split(path, "/") {
		if part == ".." {
			return "", &Error{
				Code: "invalid_argument", Status: 400, Message: fmt.Sprintf(`".." is not allowed in the path %s`, path),
				kinds: []error{ErrInvalidRequest},
			}
		}
		if part != "." {
			parts = append(parts, url.PathEscape(part))
		}
	}
	return strings.Join(parts, "/"), nil
}

// open gives the head of an answer. Whoever asked closes the body.
func (c *Client) open(ctx context.Context, request *call) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		answer, err := c.once(ctx, request)
		if err == nil && answer.StatusCode < 400 {
			return answer, nil
		}
		wait := jitter(attempt)
		if err != nil {
			if failure := contextError(ctx); failure != nil {
				return nil, failure
			}
			failure := c.connectionError(err)
			if attempt >= c.retries || errors.Is(err, errSlow) || !request.mayRepeat() && !errors.Is(err, syscall.ECONNREFUSED) {
				return nil, failure
			}
		} else {
			body, _ := io.ReadAll(io.LimitReader(answer.Body, maxProblem))
			_ = answer.Body.Close()
			failure := errorOf(answer.StatusCode, answer.Header, body, request.path)
			if failure.RetryAfter != nil {
				wait = *failure.RetryAfter
			}
			if attempt >= c.retries || wait > longestWait || !mayHelp(failure, request, attempt) {
				return nil, failure
			}
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// mayHelp tells whether the same request may succeed later.
func mayHelp(failure *Error, request *call, attempt int) bool {
	if request.bodyOnce != nil {
		return false
	}
	switch failure.Status {
	case 429:
		return failure.Code != "quota_exceeded"
	case 503:
		return true
	case 502, 504:
		return request.mayRepeat()
	case 409: // the first request with this key still runs; its answer is the one that is wanted
		return attempt > 0 && request.header.Get("Idempotency-Key") != ""
	}
	return false
}

var errSlow = errors.New("no answer in time")

// A body whose end lets go of the request's context.
type released struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (r *released) Close() error {
	err := r.ReadCloser.Close()
	r.cancel(nil)
	return err
}

func (c *Client) once(ctx context.Context, request *call) (*http.Response, error) {
	var body io.Reader
	kind := "application/octet-stream"
	switch {
	case request.json != nil:
		text, err := json.Marshal(request.json)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(text), "application/json"
	case request.body != nil:
		var err error
		if body, err = request.body(); err != nil {
			return nil, err
		}
	case request.bodyOnce != nil:
		body = request.bodyOnce
	}
	target := c.url + request.path
	if len(request.query) > 0 {
		target += "?" + request.query.Encode()
	}
	inner, cancel := context.WithCancelCause(ctx)
	made, err := http.NewRequestWithContext(inner, request.method, target, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	for name, values := range c.header {
		made.Header[name] = values
	}
	if body != nil {
		made.Header.Set("Content-Type", kind)
	}
	for name, values := range request.header {
		made.Header[name] = values
	}
	timeout := request.timeout
	if timeout == 0 {
		timeout = c.timeout
	}
	if timeout > 0 {
		timer := time.AfterFunc(timeout, func() { cancel(errSlow) })
		defer timer.Stop()
	}
	answer, err := c.http.Do(made)
	if err != nil {
		if errors.Is(context.Cause(inner), errSlow) {
			err = fmt.Errorf("%w: %s", errSlow, timeout)
		}
		cancel(nil)
		return nil, err
	}
	answer.Body = &released{answer.Body, cancel}
	return answer, nil
}

func (c *Client) connectionError(cause error) *Error {
	if failure := (*Error)(nil); errors.As(cause, &failure) {
		return failure
	}
	hint := "is it an Atoll server? Start one with `atoll serve`, or name it by Options.URL or ATOLL_URL"
	if errors.Is(cause, syscall.ECONNREFUSED) {
		hint = "no server answers; start one with `atoll serve`, or name it by Options.URL or ATOLL_URL"
	}
	return &Error{
		Code: "connection_failed", Message: fmt.Sprintf("%s: %s (%v)", c.url, hint, cause),
		kinds: []error{ErrConnectionFailed}, cause: cause,
	}
}

// read gives the whole body; a connection that breaks in the middle is tried again like one that broke before.
func (c *Client) read(ctx context.Context, request *call) (*http.Response, []byte, error) {
	for attempt := 0; ; attempt++ {
		answer, err := c.open(ctx, request)
		if err != nil {
			return nil, nil, err
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err == nil {
			return answer, body, nil
		}
		if failure := contextError(ctx); failure != nil {
			return nil, nil, failure
		}
		if attempt >= c.retries || !request.mayRepeat() {
			return nil, nil, c.connectionError(err)
		}
		if err := sleep(ctx, jitter(attempt)); err != nil {
			return nil, nil, err
		}
	}
}

func (c *Client) nothing(ctx context.Context, request *call) error {
	_, _, err := c.read(ctx, request)
	return err
}

func fetch[T any](ctx context.Context, c *Client, request *call) (*T, error) {
	_, body, err := c.read(ctx, request)
	if err != nil {
		return nil, err
	}
	return decoded[T](body)
}

func decoded[T any](body []byte) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(body, value); err != nil {
		return nil, &Error{Code: "unexpected_answer", Message: "the answer is not what the API promises", kinds: []error{ErrServer}, cause: err}
	}
	return value, nil
}
