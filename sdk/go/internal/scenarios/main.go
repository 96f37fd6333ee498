// The runner of the scenarios that all SDKs share (sdk/SCENARIOS.md); started by sdk/harness.py.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/atoll-dev/atoll-go"
)

const (
	parallel = 3
	patience = time.Minute
)

type scenario struct {
	Name, Server, Key string
	Retries           *int
	Steps             []step
}

type step struct {
	Call, On, Save string
	With           object
	Until          bool
	Expect         any
	Error          object
}

// world is what one scenario has.
type world struct {
	scenario *scenario
	client   *atoll.Client
	saved    object
	objects  map[string]any
	undo     []func(context.Context)
}

func unique() string {
	word := make([]byte, 12)
	for i := range word {
		word[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rand.IntN(36)]
	}
	return string(word)
}

func (w *world) atEnd(undo func(context.Context)) { w.undo = append(w.undo, undo) }

func (w *world) end() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for i := len(w.undo) - 1; i >= 0; i-- {
		w.undo[i](ctx)
	}
}

var kinds = map[string]error{
	"SandboxNotStartedError": atoll.ErrSandboxNotStarted, "SandboxDisabledError": atoll.ErrSandboxDisabled,
	"SandboxExecutionError": atoll.ErrExecutionFailed, "UnsupportedBackendError": atoll.ErrUnsupportedBackend,
	"InvalidRequestError": atoll.ErrInvalidRequest, "AuthenticationError": atoll.ErrAuthentication,
	"PermissionDeniedError": atoll.ErrPermissionDenied, "NotFoundError": atoll.ErrNotFound, "ConflictError": atoll.ErrConflict,
	"RateLimitError": atoll.ErrRateLimit, "QuotaExceededError": atoll.ErrQuotaExceeded, "ServerError": atoll.ErrServer,
	"ServerUnavailableError": atoll.ErrServerUnavailable, "ConnectionFailedError": atoll.ErrConnectionFailed,
	"DeadlineExceededError": atoll.ErrDeadlineExceeded, "StreamInterruptedError": atoll.ErrStreamInterrupted,
}

// wrongError is how an error differs from the one that is wanted.
func wrongError(err error, wanted object) error {
	told := object{}
	var failure *atoll.Error
	var failed *atoll.ExecutionFailedError
	switch {
	case errors.As(err, &failed):
		told["code"] = failed.Code()
	case errors.As(err, &failure):
		told["code"], told["status"], told["at"] = failure.Code, float64(failure.Status), failure.At
		told["retry_after"] = failure.RetryAfter != nil
	default:
		return fmt.Errorf("not an error of the SDK: %w", err)
	}
	for name, value := range wanted {
		if name == "class" {
			kind, known := kinds[value.(string)]
			if value != "SandboxError" && (!known || !errors.Is(err, kind)) {
				return fmt.Errorf("it is no %s: %w", value, err)
			}
		} else if told[name] != value {
			return fmt.Errorf("%s is %v, not %v: %w", name, told[name], value, err)
		}
	}
	return nil
}

func (w *world) attempt(s step) error {
	on := s.On
	if on == "" {
		on = "client"
	}
	target, ok := w.objects[on]
	if !ok {
		return fmt.Errorf("nothing is saved as %s", on)
	}
	given, _ := filled(s.With, w.saved).(object)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if deadline, ok := given["deadline"].(float64); ok {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(deadline*float64(time.Second)))
		defer cancel()
	}
	value, thing, err := w.call(ctx, target, s.Call, arguments{given})
	if err != nil {
		if s.Error != nil {
			return wrongError(err, s.Error)
		}
		return err
	}
	if s.Error != nil {
		return fmt.Errorf("it should have failed with %v", s.Error["code"])
	}
	result := plain(value)
	if result == nil {
		result = object{}
	}
	if err := check(result, filled(s.Expect, w.saved)); err != nil {
		return err
	}
	if s.Save != "" {
		w.saved[s.Save] = result
		if thing != nil {
			w.objects[s.Save] = thing
		}
	}
	return nil
}

func (w *world) run(s step) error {
	end := time.Now().Add(patience)
	for {
		err := w.attempt(s)
		if err == nil || !s.Until || time.Now().After(end) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func tell(one *scenario) {
	w := &world{scenario: one, saved: object{"unique": unique()}, objects: map[string]any{}}
	defer w.end()
	w.client = newClient(one, one.Server, one.Key, one.Retries, 0)
	w.objects["client"] = w.client
	verdict := object{"scenario": one.Name, "ok": true}
	for index, s := range one.Steps {
		if err := w.run(s); err != nil {
			verdict["ok"], verdict["detail"] = false, fmt.Sprintf("step %d (%s): %v", index+1, s.Call, err)
			break
		}
	}
	fmt.Println(show(verdict))
}

func main() {
	text, err := os.ReadFile(os.Getenv("ATOLL_SCENARIOS"))
	if err != nil {
		panic(err)
	}
	var document struct{ Scenarios []*scenario }
	if err := json.Unmarshal(text, &document); err != nil {
		panic(err)
	}
	waiting := make(chan *scenario, len(document.Scenarios))
	for _, one := range document.Scenarios {
		if one.Server == "" {
			waiting <- one
		}
	}
	close(waiting)
	var group sync.WaitGroup
	for range parallel {
		group.Add(1)
		go func() {
			defer group.Done()
			for one := range waiting {
				tell(one)
			}
		}()
	}
	group.Wait()
	for _, one := range document.Scenarios {
		if one.Server != "" {
			tell(one)
		}
	}
}
