// Package atoll makes and uses sandboxes of an Atoll server.
//
//	client := atoll.NewClient(nil) // ATOLL_URL and ATOLL_API_KEY name the server
//	sandbox, err := client.Create(ctx, nil)
//	defer sandbox.Close()
//	done, err := sandbox.Run(ctx, atoll.Code("print(6 * 7)"), nil)
//
// Every call takes a context; its deadline is how long the caller waits, and what runs in a sandbox
// goes on. Errors are of the kinds ErrNotFound and so on, and hold a stable code.
package atoll

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options of a client. The zero value is fine.
type Options struct {
	// URL of the server; absent: ATOLL_URL, else http://127.0.0.1:8080.
	URL string
	// APIKey; absent: ATOLL_API_KEY.
	APIKey string
	// Tenant to act for, for owners.
	Tenant string
	// Timeout until an answer begins; absent: a minute.
	Timeout time.Duration
	// Retries of a request that may be repeated; absent: 3, negative: none.
	Retries int
	// HTTPClient beneath; absent: one of its own.
	HTTPClient *http.Client
}

// Client speaks with one server. It may be used by any number of goroutines.
type Client struct {
	url     string
	header  http.Header
	timeout time.Duration
	retries int
	http    *http.Client
}

// NewClient makes a client; nothing is sent yet.
func NewClient(options *Options) *Client {
	var given Options
	if options != nil {
		given = *options
	}
	client := &Client{
		url: strings.TrimRight(first(given.URL, os.Getenv("ATOLL_URL"), "http://127.0.0.1:8080"), "/"), header: http.Header{},
		timeout: given.Timeout, retries: max(given.Retries, 0), http: given.HTTPClient,
	}
	if key := first(given.APIKey, os.Getenv("ATOLL_API_KEY")); key != "" {
		client.header.Set("Authorization", "Bearer "+key)
	}
	if given.Tenant != "" {
		client.header.Set("Atoll-Tenant", given.Tenant)
	}
	if client.timeout == 0 {
		client.timeout = time.Minute
	}
	if given.Retries == 0 {
		client.retries = 3
	}
	if client.http == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 100
		client.http = &http.Client{Transport: transport}
	}
	return client
}

func first(words ...string) string {
	for _, word := range words {
		if word != "" {
			return word
		}
	}
	return ""
}

// CreateOptions say what a sandbox is made of. Everything may be absent.
type CreateOptions struct {
	Template string
	// SessionKey: the same key gives the same live sandbox.
	SessionKey string
	// Lifetime, and the longest time without work.
	Timeout, IdleTimeout time.Duration
	Env                  map[string]string
	Labels               map[string]string
	Metadata             map[string]any
	// AllowNetwork: everything that the template allows.
	AllowNetwork *bool
	Network      *NetworkPolicy
	Resources    *Resources
	// Snapshot is the id of one to begin with.
	Snapshot string
	// NoWait: do not wait until it is ready.
	NoWait         bool
	IdempotencyKey string
}

type sessionConfig struct {
	TimeoutSeconds     *float64          `json:"timeout_seconds,omitempty"`
	IdleTimeoutSeconds *float64          `json:"idle_timeout_seconds,omitempty"`
	AllowNetwork       *bool             `json:"allow_network,omitempty"`
	Network            *NetworkPolicy    `json:"network,omitempty"`
	Environment        map[string]string `json:"environment,omitempty"`
	Resources          *Resources        `json:"resources,omitempty"`
}

// Forever is a time-out that is the longest there is.
const Forever time.Duration = -1

// seconds of a duration; absent where it is 0, and 0 where it is Forever.
func seconds(duration time.Duration) *float64 {
	if duration == 0 {
		return nil
	}
	value := max(duration.Seconds(), 0)
	return &value
}

const waitTime = time.Minute // of one request; what takes longer is asked for again

// Create makes a sandbox and waits until it is ready.
func (c *Client) Create(ctx context.Context, options *CreateOptions) (*Sandbox, error) {
	var o CreateOptions
	if options != nil {
		o = *options
	}
	body := struct {
		Template   string            `json:"template_id,omitempty"`
		SessionKey string            `json:"session_key,omitempty"`
		Config     sessionConfig     `json:"config"`
		Labels     map[string]string `json:"labels,omitempty"`
		Metadata   map[string]any    `json:"metadata,omitempty"`
		Snapshot   string            `json:"snapshot_id,omitempty"`
	}{
		o.Template, o.SessionKey,
		sessionConfig{seconds(o.Timeout), seconds(o.IdleTimeout), o.AllowNetwork, o.Network, o.Env, o.Resources},
		o.Labels, o.Metadata, o.Snapshot,
	}
	request := (&call{method: "POST", path: "/api/v1/sessions", json: body, timeout: waitTime + c.timeout}).withKey(o.IdempotencyKey)
	if !o.NoWait {
		request.set("Prefer", "wait=60")
	}
	session, err := fetch[Session](ctx, c, request)
	if err != nil {
		return nil, err
	}
	sandbox := newSandbox(c, session)
	for !o.NoWait && sandbox.Info().Status == SessionStateCreating {
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
		if _, err := sandbox.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return sandbox, nil
}

// Connect gives a sandbox that exists.
func (c *Client) Connect(ctx context.Context, id string) (*Sandbox, error) {
	session, err := fetch[Session](ctx, c, &call{method: "GET", path: "/api/v1/sessions/" + url.PathEscape(id)})
	if err != nil {
		return nil, err
	}
	return newSandbox(c, session), nil
}

// ListOptions narrow a list of sandboxes.
type ListOptions struct {
	Labels     map[string]string
	Status     []SessionState
	Template   string
	SessionKey string
	// PageSize is how many one request asks for.
	PageSize int
}

// List gives sandboxes, newest first; the next page is asked for when it is needed.
func (c *Client) List(ctx context.Context, options *ListOptions) iter.Seq2[*Sandbox, error] {
	query := url.Values{}
	if options != nil {
		for name, value := range options.Labels {
			query.Add("label", name+"="+value)
		}
		states := make([]string, len(options.Status))
		for i, state := range options.Status {
			states[i] = string(state)
		}
		setAll(query, "status", strings.Join(states, ","), "template", options.Template, "session_key", options.SessionKey)
		setNumber(query, "limit", options.PageSize)
	}
	return func(yield func(*Sandbox, error) bool) {
		for session, err := range pages[Session](ctx, c, "/api/v1/sessions", "sessions", query) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(newSandbox(c, session), nil) {
				return
			}
		}
	}
}

// EndByKey ends the live sandbox of a key, if there is one. Its files stay.
func (c *Client) EndByKey(ctx context.Context, sessionKey string) error {
	return c.nothing(ctx, &call{method: "DELETE", path: "/api/v1/sessions", query: url.Values{"session_key": {sessionKey}}})
}

// RunOnce runs something in a sandbox of its own, which ends with it.
func (c *Client) RunOnce(ctx context.Context, work Work, template string, options *RunOptions) (*Execution, error) {
	body := work.body(options)
	body.Template = template
	request := (&call{method: "POST", path: "/api/v1/run", json: body, timeout: Forever}).withKey(options.key())
	return checked(fetch[Execution](ctx, c, request))(options)
}

func setAll(query url.Values, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
}

func setNumber(query url.Values, name string, number int) {
	if number > 0 {
		query.Set(name, strconv.Itoa(number))
	}
}
