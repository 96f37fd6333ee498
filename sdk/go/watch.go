package atoll

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// FileEvent is a change below a folder: created, modified, removed, moved, or overflow, when more
// changed than could be told.
type FileEvent struct {
	Type string `json:"event"`
	Path string `json:"path"`
}

// LifeEvent is something that happened to a session or an execution.
type LifeEvent struct {
	Type        string    `json:"event"`
	SessionID   string    `json:"session_id"`
	Status      string    `json:"status"`
	Timestamp   time.Time `json:"timestamp"`
	ExecutionID string    `json:"execution_id,omitempty"`
	Host        string    `json:"host,omitempty"`
	Port        int       `json:"port,omitempty"`
	Reason      string    `json:"reason,omitempty"`
}

// EventStream gives events until it is closed, or what it tells of is gone. Next and Close may be called by different
// goroutines.
type EventStream[T any] struct {
	client *Client
	path   string
	query  url.Values
	// lost is the event that says that some may be missing, where events have no ids to go on behind.
	lost   *T
	ctx    context.Context
	cancel context.CancelFunc

	mutex    sync.Mutex // of reader, for Close
	reader   *eventReader
	last     string
	failures int
}

func openEvents[T any](ctx context.Context, client *Client, path string, query url.Values, lost *T) (*EventStream[T], error) {
	inner, cancel := context.WithCancel(ctx)
	stream := &EventStream[T]{client: client, path: path, query: query, lost: lost, ctx: inner, cancel: cancel}
	if err := stream.connect(); err != nil {
		cancel()
		return nil, err
	}
	return stream, nil
}

func (s *EventStream[T]) connect() error {
	request := (&call{method: http.MethodGet, path: s.path, query: s.query}).set("Accept", "text/event-stream")
	if s.last != "" {
		request.set("Last-Event-ID", s.last)
	}
	answer, err := s.client.open(s.ctx, request)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	s.reader = newEventReader(answer.Body)
	s.mutex.Unlock()
	return nil
}

// Next waits for the next event. It is nil without an error where there will be no more.
func (s *EventStream[T]) Next() (*T, error) {
	for {
		raw, err := s.reader.next()
		if err == nil {
			s.failures = 0
			if raw.id != "" {
				s.last = raw.id
			}
			event := new(T)
			return event, json.Unmarshal([]byte(raw.data), event)
		}
		if failure := contextError(s.ctx); failure != nil {
			return nil, failure
		}
		_ = s.reader.body.Close()
		if s.lost != nil && err.Error() == "EOF" {
			return nil, nil // the server's own end: the folder or the sandbox is gone
		}
		if s.failures++; s.failures > s.client.retries {
			return nil, interrupted("the events broke and could not be resumed", err)
		}
		if err := sleep(s.ctx, jitter(s.failures-1)); err != nil {
			return nil, err
		}
		if err := s.connect(); err != nil {
			return nil, err
		}
		if s.lost != nil {
			lost := *s.lost
			return &lost, nil
		}
	}
}

// Close ends it, and a Next that waits.
func (s *EventStream[T]) Close() error {
	s.cancel()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.reader.body.Close()
}

// Events tells of sessions and executions as they begin, change and end, from now on.
func (c *Client) Events(ctx context.Context) (*EventStream[LifeEvent], error) {
	return openEvents[LifeEvent](ctx, c, "/api/v1/events", nil, nil)
}

// Watch tells of changes below a folder, from when it comes back on; of the workspace where path is empty.
func (s *Sandbox) Watch(ctx context.Context, path string, recursive bool) (*EventStream[FileEvent], error) {
	query := url.Values{}
	setAll(query, "path", path)
	if !recursive {
		query.Set("recursive", "false")
	}
	return openEvents(ctx, s.client, s.path("/files/watch"), query, &FileEvent{Type: "overflow", Path: path})
}
