package atoll

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testKey   = "atl_0123456789"
	session   = `{"id": "s1", "session_id": "s1", "status": "ready"}`
	completed = `{"session_id": "s1", "execution_id": "e1", "state": "completed", "exit_code": 0, "success": true}`
)

type seen struct {
	mutex    sync.Mutex
	requests []*http.Request
}

func (s *seen) add(request *http.Request) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, request)
	return len(s.requests)
}

func (s *seen) all() []*http.Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests
}

// serving is a client of a server that answers as the test says: answer(request, number of the request).
func serving(t *testing.T, answer func(http.ResponseWriter, *http.Request, int)) (*Client, *seen) {
	t.Helper()
	told := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r, told.add(r))
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return NewClient(&Options{URL: server.URL, APIKey: testKey, Retries: 2}), told
}

func problem(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"type": "about:blank", "status": %d, "code": %q, "detail": "said the test"}`, status, code)
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

func expect(t *testing.T, err error, code string, kind error) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != code || !errors.Is(err, kind) {
		t.Fatalf("%v is no %s of the kind %v", err, code, kind)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Fatalf("the key is in %q", err)
	}
	return failure
}

func TestNoServerSaysHowToStartOne(t *testing.T) {
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listening.Addr().String()
	_ = listening.Close()
	_, err = NewClient(&Options{URL: "http://" + address, APIKey: testKey, Retries: -1}).Health(context.Background())
	if failure := expect(t, err, "connection_failed", ErrConnectionFailed); !strings.Contains(failure.Error(), "atoll serve") {
		t.Fatal(failure)
	}
}

func TestAWrongKeyIsNotTriedAgain(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(w, 401, "unauthenticated") })
	_, err := client.Create(context.Background(), nil)
	expect(t, err, "unauthenticated", ErrAuthentication)
	if len(told.all()) != 1 || told.all()[0].Header.Get("Authorization") != "Bearer "+testKey {
		t.Fatal(told.all())
	}
}

func TestRetryAfterIsKeptAndTheRequestKeepsItsKey(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, number int) {
		if number == 3 {
			w.WriteHeader(201)
			_, _ = io.WriteString(w, session)
			return
		}
		w.Header().Set("Retry-After", []string{"", "0", time.Now().UTC().Format(http.TimeFormat)}[number])
		problem(w, 429, "resource_exhausted")
	})
	if _, err := client.Create(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, one := range told.all() {
		keys[one.Header.Get("Idempotency-Key")] = true
	}
	if len(keys) != 1 || keys[""] {
		t.Fatal(keys)
	}
}

func TestARetryAfterThatIsTooLongIsTold(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "3600")
		problem(w, 429, "resource_exhausted")
	})
	_, err := client.Health(context.Background())
	failure := expect(t, err, "resource_exhausted", ErrRateLimit)
	if failure.RetryAfter == nil || *failure.RetryAfter != time.Hour || len(told.all()) != 1 {
		t.Fatal(failure.RetryAfter)
	}
}

func TestAQuotaDoesNotPassByWaiting(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) { problem(w, 429, "quota_exceeded") })
	_, err := client.Create(context.Background(), nil)
	expect(t, err, "quota_exceeded", ErrQuotaExceeded)
	if !errors.Is(err, ErrRateLimit) || len(told.all()) != 1 {
		t.Fatal(err)
	}
}

func TestUnavailableIsTriedAgainThenTold(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "0")
		problem(w, 503, "no_available_runtime")
	})
	_, err := client.Health(context.Background())
	expect(t, err, "no_available_runtime", ErrServerUnavailable)
	if len(told.all()) != 3 {
		t.Fatal(len(told.all()))
	}
}

func TestAnAnswerThatIsNoProblemDocument(t *testing.T) {
	client, _ := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, "<h1>oops</h1>")
	})
	_, err := client.Health(context.Background())
	expect(t, err, "unexpected_answer", ErrServer)
}

func TestAConnectionThatClosesWithoutAnAnswerIsMadeAgain(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, _ *http.Request, number int) {
		if number < 3 {
			hangUp(w)
			return
		}
		_, _ = io.WriteString(w, completed)
	})
	done, err := client.RunOnce(context.Background(), Code("1"), "", nil)
	if err != nil || done.ExecutionID != "e1" || len(told.all()) != 3 {
		t.Fatal(done, err)
	}
}

func TestWhatMayNotBeRepeatedIsNot(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "/move") {
			hangUp(w)
			return
		}
		_, _ = io.WriteString(w, session)
	})
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = sandbox.Move(context.Background(), "a", "b", false)
	expect(t, err, "connection_failed", ErrConnectionFailed)
	if len(told.all()) != 2 {
		t.Fatal(len(told.all()))
	}
}

func TestAReaderThatCannotBeReadAgainIsSentOnce(t *testing.T) {
	client, told := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.Method == http.MethodPut {
			hangUp(w)
			return
		}
		_, _ = io.WriteString(w, session)
	})
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = sandbox.WriteFrom(context.Background(), "f", io.MultiReader(strings.NewReader("text")), "")
	expect(t, err, "connection_failed", ErrConnectionFailed)
	if len(told.all()) != 2 {
		t.Fatal(len(told.all()))
	}
}

func TestAContextEndsARequestAndAWaitBetweenTwo(t *testing.T) {
	asked := make(chan int, 10)
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request, number int) {
		asked <- number
		if number == 1 {
			<-r.Context().Done() // its client is gone
			return
		}
		w.Header().Set("Retry-After", "50")
		problem(w, 503, "no_available_runtime")
	})
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			<-asked
			cancel()
		}()
		if _, err := client.Connect(ctx, "s1"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	_, err := client.Health(ctx)
	expect(t, err, "deadline_exceeded", ErrDeadlineExceeded)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func told(w io.Writer, name string, id int, data string) {
	fmt.Fprintf(w, "event: %s\nid: %d\ndata: %s\n\n", name, id, data)
}

// cutStream tells an init event and an "a", and cuts the connection in the middle of the next event; again says the rest.
func cutStream(t *testing.T, again func(http.ResponseWriter, *http.Request)) *Sandbox {
	t.Helper()
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/s1"):
			_, _ = io.WriteString(w, session)
		case r.Method == http.MethodPost:
			w.Header().Set("Content-Type", "text/event-stream")
			told(w, "init", 1, `{"session_id": "s1", "execution_id": "e1", "state": "running"}`)
			told(w, "stdout", 2, `{"text": "a"}`)
			_, _ = io.WriteString(w, "event: stdout\nid: 3\nda")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		default:
			again(w, r)
		}
	})
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	return sandbox
}

func TestAStreamThatIsCutGoesOnBehindTheLastWholeEvent(t *testing.T) {
	sandbox := cutStream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "2" {
			problem(w, 400, "invalid_argument")
			return
		}
		told(w, "stdout", 3, `{"text": "b"}`)
		told(w, "complete", 4, completed)
	})
	text := ""
	for event, err := range sandbox.Stream(context.Background(), Code("1"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text += event.Text
	}
	if text != "ab" {
		t.Fatal(text)
	}
}

func TestAStreamThatCannotGoOnSaysSo(t *testing.T) {
	sandbox := cutStream(t, func(w http.ResponseWriter, _ *http.Request) { problem(w, 404, "execution_not_found") })
	text := ""
	var last error
	for event, err := range sandbox.Stream(context.Background(), Code("1"), nil) {
		if last = err; err == nil {
			text += event.Text
		}
	}
	expect(t, last, "stream_interrupted", ErrStreamInterrupted)
	if text != "a" {
		t.Fatal(text)
	}
}

func TestLeavingAStreamLeavesNothingBehind(t *testing.T) {
	gone := make(chan struct{})
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "/s1") {
			_, _ = io.WriteString(w, session)
			return
		}
		told(w, "init", 1, `{"session_id": "s1", "execution_id": "e1", "state": "running"}`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range sandbox.Stream(context.Background(), Code("1"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	<-gone
}

func TestManyGoroutinesOneClient(t *testing.T) {
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		_ = json.NewEncoder(w).Encode(map[string]string{"id": filepath.Base(r.URL.Path)})
	})
	var all sync.WaitGroup
	for number := range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			id := fmt.Sprintf("s%d", number)
			if sandbox, err := client.Connect(context.Background(), id); err != nil || sandbox.ID() != id {
				t.Error(id, err)
			}
		}()
	}
	all.Wait()
}

func TestNamesThatLeadUpAreRefusedHere(t *testing.T) {
	client, seen := serving(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, session) })
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = sandbox.ReadFile(context.Background(), "a/../../b", nil)
	expect(t, err, "invalid_argument", ErrInvalidRequest)
	if len(seen.all()) != 1 {
		t.Fatal(len(seen.all()))
	}
}

func TestADownloadThatFailsLeavesNoFile(t *testing.T) {
	client, _ := serving(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.HasSuffix(r.URL.Path, "/s1") {
			_, _ = io.WriteString(w, session)
			return
		}
		problem(w, 404, "not_found")
	})
	sandbox, err := client.Connect(context.Background(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	local := filepath.Join(t.TempDir(), "f")
	expect(t, sandbox.Download(context.Background(), "f", local), "not_found", ErrNotFound)
	if _, err := os.Stat(local); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
