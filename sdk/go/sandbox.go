package atoll

import (
	"context"
	"iter"
	"net/url"
	"sync"
	"time"
)

// Sandbox is one: files, processes and interpreters that live until it ends. It may be used by any
// number of goroutines.
type Sandbox struct {
	client *Client
	id     string
	mutex  sync.Mutex
	info   *Session
}

func newSandbox(client *Client, session *Session) *Sandbox {
	return &Sandbox{client: client, id: session.ID, info: session}
}

// ID of the sandbox.
func (s *Sandbox) ID() string { return s.id }

// Info is the session as the server last told it.
func (s *Sandbox) Info() *Session {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.info
}

func (s *Sandbox) path(rest string) string { return "/api/v1/sessions/" + url.PathEscape(s.id) + rest }

func (s *Sandbox) take(session *Session, err error) (*Session, error) {
	if err == nil {
		s.mutex.Lock()
		s.info = session
		s.mutex.Unlock()
	}
	return session, err
}

// Run runs code or a command to its end.
func (s *Sandbox) Run(ctx context.Context, work Work, options *RunOptions) (*Execution, error) {
	return s.client.run(ctx, s.path("/execute"), work, options)
}

// RunText gives the text that an agent's tool hands on: output, errors and exit code, cut at 10,000 characters.
func (s *Sandbox) RunText(ctx context.Context, work Work, options *RunOptions) (string, error) {
	request := (&call{method: "POST", path: s.path("/execute"), json: work.body(options), timeout: Forever}).withKey(options.key())
	_, body, err := s.client.read(ctx, request.set("Prefer", "wait").set("Accept", "text/plain"))
	return string(body), err
}

// Start begins something and comes back at once.
func (s *Sandbox) Start(ctx context.Context, work Work, options *RunOptions) (*RunningExecution, error) {
	request := (&call{method: "POST", path: s.path("/execute"), json: work.body(options)}).withKey(options.key())
	execution, err := fetch[Execution](ctx, s.client, request)
	if err != nil {
		return nil, err
	}
	return &RunningExecution{s.client, execution}, nil
}

// Stream begins something when it is iterated, and gives its events as they come. A connection that
// breaks is made again behind the last event; where that fails the error is ErrStreamInterrupted.
// Leaving the loop closes the connection, and what runs goes on.
func (s *Sandbox) Stream(ctx context.Context, work Work, options *RunOptions) iter.Seq2[*Event, error] {
	begin := (&call{method: "POST", path: s.path("/execute"), json: work.body(options)}).withKey(options.key())
	return s.client.events(ctx, begin, "")
}

// Execution gives one by its id.
func (c *Client) Execution(ctx context.Context, id string) (*RunningExecution, error) {
	execution, err := fetch[Execution](ctx, c, &call{method: "GET", path: "/api/v1/executions/" + url.PathEscape(id)})
	if err != nil {
		return nil, err
	}
	return &RunningExecution{c, execution}, nil
}

// Results are what ran here, newest first.
func (s *Sandbox) Results(ctx context.Context) iter.Seq2[*Execution, error] {
	return pages[Execution](ctx, s.client, s.path("/results"), "results", url.Values{})
}

// CodeContext is an interpreter that keeps its variables.
type CodeContext struct {
	sandbox *Sandbox
	Context
}

// ContextOptions say how an interpreter is begun. Everything may be absent.
type ContextOptions struct {
	Language string            `json:"language,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
}

// OpenContext begins an interpreter.
func (s *Sandbox) OpenContext(ctx context.Context, options ContextOptions) (*CodeContext, error) {
	made, err := fetch[Context](ctx, s.client, (&call{method: "POST", path: s.path("/contexts"), json: options}).withKey(""))
	if err != nil {
		return nil, err
	}
	return &CodeContext{s, *made}, nil
}

// Contexts lists the interpreters of the sandbox.
func (s *Sandbox) Contexts(ctx context.Context) ([]Context, error) {
	return listOf[Context](ctx, s.client, s.path("/contexts"), "contexts")
}

// Run runs code; Value of the execution is that of its last expression.
func (c *CodeContext) Run(ctx context.Context, code string, options *RunOptions) (*Execution, error) {
	var o RunOptions
	if options != nil {
		o = *options
	}
	o.Context = c.ID
	return c.sandbox.Run(ctx, Code(code), &o)
}

// Close ends it; what it holds is gone.
func (c *CodeContext) Close(ctx context.Context) error {
	return c.sandbox.client.drop(ctx, c.sandbox.path("/contexts/"), c.ID)
}

// Refresh asks the server anew.
func (s *Sandbox) Refresh(ctx context.Context) (*Session, error) {
	return s.take(fetch[Session](ctx, s.client, &call{method: "GET", path: s.path("")}))
}

// Change changes labels, metadata or times.
func (s *Sandbox) Change(ctx context.Context, change ChangeSession) (*Session, error) {
	return s.take(fetch[Session](ctx, s.client, &call{method: "PATCH", path: s.path(""), json: change}))
}

// Pause stops everything where it is.
func (s *Sandbox) Pause(ctx context.Context) (*Session, error) {
	return s.take(fetch[Session](ctx, s.client, &call{method: "POST", path: s.path("/pause")}))
}

// Resume lets it go on.
func (s *Sandbox) Resume(ctx context.Context) (*Session, error) {
	return s.take(fetch[Session](ctx, s.client, &call{method: "POST", path: s.path("/resume")}))
}

// Renew sets its end to so long from now; 0: the lifetime that it was made with.
func (s *Sandbox) Renew(ctx context.Context, lifetime time.Duration) (*Session, error) {
	body := struct {
		Seconds int64 `json:"seconds,omitempty"`
	}{int64(lifetime / time.Second)}
	return s.take(fetch[Session](ctx, s.client, &call{method: "POST", path: s.path("/renew"), json: body, repeatable: true}))
}

// Activity is what runs in a sandbox.
type Activity struct {
	SessionID     string       `json:"session_id"`
	Status        SessionState `json:"status"`
	Running       []string     `json:"running"`
	LastExecution *string      `json:"last_execution"`
}

// Activity asks what runs.
func (s *Sandbox) Activity(ctx context.Context) (*Activity, error) {
	return fetch[Activity](ctx, s.client, &call{method: "GET", path: s.path("/status")})
}

// Usage is what the sandbox uses.
func (s *Sandbox) Usage(ctx context.Context) (*Usage, error) {
	return fetch[Usage](ctx, s.client, &call{method: "GET", path: s.path("/usage")})
}

// Diagnostics are how it ended, what was done in it, and the end of what its programs printed. Also after its end.
func (s *Sandbox) Diagnostics(ctx context.Context) (*Diagnostics, error) {
	return fetch[Diagnostics](ctx, s.client, &call{method: "GET", path: s.path("/diagnostics")})
}

// Processes are those in the sandbox.
func (s *Sandbox) Processes(ctx context.Context) ([]Process, error) {
	return listOf[Process](ctx, s.client, s.path("/processes"), "processes")
}

// Network is what the sandbox may reach.
func (s *Sandbox) Network(ctx context.Context) (*SessionNetwork, error) {
	return fetch[SessionNetwork](ctx, s.client, &call{method: "GET", path: s.path("/network")})
}

// SetNetwork replaces the policy.
func (s *Sandbox) SetNetwork(ctx context.Context, policy *NetworkPolicy) (*SessionNetwork, error) {
	return fetch[SessionNetwork](ctx, s.client, &call{method: "PUT", path: s.path("/network"), json: policy})
}

// Snapshot keeps the workspace and /tmp, for CreateOptions.Snapshot. The key may be empty.
func (s *Sandbox) Snapshot(ctx context.Context, name, idempotencyKey string) (*Snapshot, error) {
	body := map[string]string{}
	if name != "" {
		body["name"] = name
	}
	request := &call{method: "POST", path: s.path("/snapshots"), json: body, timeout: 5 * waitTime}
	return fetch[Snapshot](ctx, s.client, request.withKey(idempotencyKey))
}

// End ends it; everything of it is gone when this comes back. Once more does no harm.
func (s *Sandbox) End(ctx context.Context) error {
	return s.client.nothing(ctx, &call{method: "DELETE", path: s.path("")})
}

// Close is End with a time limit of its own, for defer.
func (s *Sandbox) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	return s.End(ctx)
}
