package atoll

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kinds of errors, for errors.Is. Every error of this package is an *Error (or an *ExecutionFailedError)
// and is of one or more of these kinds.
var (
	ErrInvalidRequest     = errors.New("the request is not right")                 // 400, 413, 415, 422
	ErrUnsupportedBackend = errors.New("the backend is not supported")             // 422 unsupported_backend
	ErrAuthentication     = errors.New("no valid key")                             // 401
	ErrPermissionDenied   = errors.New("not with this key")                        // 403
	ErrSandboxDisabled    = errors.New("the server has no sandboxes")              // 403 sandbox_disabled
	ErrNotFound           = errors.New("not found")                                // 404
	ErrConflict           = errors.New("conflict")                                 // 409
	ErrSandboxNotStarted  = errors.New("the sandbox is paused or has ended")       // 409 in a sandbox
	ErrRateLimit          = errors.New("too much at one time")                     // 429
	ErrQuotaExceeded      = errors.New("the quota is used up")                     // 429 quota_exceeded
	ErrServer             = errors.New("the server failed")                        // 5xx
	ErrServerUnavailable  = errors.New("the server cannot do that now")            // 503
	ErrConnectionFailed   = errors.New("no connection to a server")                // no server, or it broke
	ErrDeadlineExceeded   = errors.New("the caller's time was up")                 // the context's deadline
	ErrStreamInterrupted  = errors.New("the stream was cut and cannot be resumed") // something may be missing
	ErrExecutionFailed    = errors.New("the execution did not end with 0")         // Check
)

// Error is what went wrong. Code is stable; Message is for people.
type Error struct {
	Code    string
	Message string
	// Status of the answer; 0 where there was none.
	Status    int
	RequestID string
	// At is a JSON pointer to the field that is wrong.
	At string
	// Quota says of what there is too much, with quota_exceeded.
	Quota string
	// RetryAfter is when to come again; nil where the server did not say.
	RetryAfter *time.Duration

	kinds []error
	cause error
}

func (e *Error) Error() string {
	if e.Code == "" {
		return e.Message
	}
	return e.Code + ": " + e.Message
}

// Is tells whether the error is of a kind.
func (e *Error) Is(target error) bool {
	for _, kind := range e.kinds {
		if kind == target {
			return true
		}
	}
	return false
}

// Unwrap gives the error beneath, of the network or of the context.
func (e *Error) Unwrap() error { return e.cause }

// ExecutionFailedError is what Check returns for an execution that did not end with 0.
type ExecutionFailedError struct {
	Execution *Execution
}

// Code is exec_timeout when the time was up, else execution_failed.
func (e *ExecutionFailedError) Code() string {
	if e.Execution.TimedOut {
		return "exec_timeout"
	}
	return "execution_failed"
}

func (e *ExecutionFailedError) Error() string {
	if failure := e.Execution.Error; failure != nil && failure.Message+failure.Evalue != "" {
		return e.Code() + ": " + failure.Message + failure.Evalue
	}
	lines := strings.Split(strings.TrimSpace(e.Execution.Stderr), "\n")
	ended := string(e.Execution.State)
	if e.Execution.ExitCode != nil {
		ended = strconv.FormatInt(*e.Execution.ExitCode, 10)
	}
	return fmt.Sprintf("%s: it ended with %s: %s", e.Code(), ended, lines[len(lines)-1])
}

// Is tells whether target is ErrExecutionFailed.
func (e *ExecutionFailedError) Is(target error) bool { return target == ErrExecutionFailed }

// Requests to something in a sandbox; their conflict is with its state.
var inSandbox = regexp.MustCompile(`^/api/v1/sessions/[^/]+/`)

func kindsOf(status int, code, path string) []error {
	switch {
	case status == 400, status == 413, status == 415, status == 422:
		if code == "unsupported_backend" {
			return []error{ErrInvalidRequest, ErrUnsupportedBackend}
		}
		return []error{ErrInvalidRequest}
	case status == 401:
		return []error{ErrAuthentication}
	case status == 403:
		if code == "sandbox_disabled" {
			return []error{ErrPermissionDenied, ErrSandboxDisabled}
		}
		return []error{ErrPermissionDenied}
	case status == 404:
		return []error{ErrNotFound}
	case status == 409:
		if code == "conflict" && inSandbox.MatchString(path) {
			return []error{ErrConflict, ErrSandboxNotStarted}
		}
		return []error{ErrConflict}
	case status == 429:
		if code == "quota_exceeded" {
			return []error{ErrRateLimit, ErrQuotaExceeded}
		}
		return []error{ErrRateLimit}
	case status == 503:
		return []error{ErrServer, ErrServerUnavailable}
	case status >= 500:
		return []error{ErrServer}
	}
	return nil
}

func retryAfter(header http.Header) *time.Duration {
	text := header.Get("Retry-After")
	if text == "" {
		return nil
	}
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		wait = time.Duration(min(max(seconds, 0), 1e6) * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		wait = max(time.Until(at), 0)
	} else {
		return nil
	}
	return &wait
}

// errorOf is what an answer tells; anything that is no problem document is unexpected_answer.
func errorOf(status int, header http.Header, body []byte, path string) *Error {
	problem := Problem{}
	if json.Unmarshal(body, &problem) != nil || problem.Code == "" {
		problem = Problem{Code: "unexpected_answer", Detail: fmt.Sprintf("the server answered with status %d", status)}
	}
	if problem.Detail == "" {
		problem.Detail = problem.Title
	}
	if problem.RequestID == "" {
		problem.RequestID = header.Get("X-Request-Id")
	}
	return &Error{
		Code: problem.Code, Message: problem.Detail, Status: status, RequestID: problem.RequestID, At: problem.At,
		Quota: problem.Quota, RetryAfter: retryAfter(header), kinds: kindsOf(status, problem.Code, path),
	}
}

// contextError is the error of a context that has ended, or nil.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{
			Code: "deadline_exceeded", Message: "the caller's time was up; what runs in a sandbox goes on",
			kinds: []error{ErrDeadlineExceeded}, cause: err,
		}
	}
	if err != nil {
		return &Error{Code: "cancelled", Message: "the caller has given up", cause: err}
	}
	return nil
}

func interrupted(why string, cause error) *Error {
	return &Error{Code: "stream_interrupted", Message: why, kinds: []error{ErrStreamInterrupted}, cause: cause}
}
