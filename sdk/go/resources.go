package atoll

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"time"
)

// pages gives all elements of a list that comes in pages.
func pages[T any](ctx context.Context, c *Client, path, name string, query url.Values) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		query := maps.Clone(query)
		for {
			page, err := fetch[map[string]json.RawMessage](ctx, c, &call{method: "GET", path: path, query: query})
			if err != nil {
				yield(nil, err)
				return
			}
			elements, err := decoded[[]*T]((*page)[name])
			if err != nil {
				yield(nil, err)
				return
			}
			for _, element := range *elements {
				if !yield(element, nil) {
					return
				}
			}
			var cursor string
			if json.Unmarshal((*page)["next_cursor"], &cursor) != nil || cursor == "" {
				return
			}
			query.Set("cursor", cursor)
		}
	}
}

// All gathers what an iterator gives, up to its first error.
func All[T any](sequence iter.Seq2[T, error]) ([]T, error) {
	all := []T{}
	for one, err := range sequence {
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
	return all, nil
}

func listOf[T any](ctx context.Context, c *Client, path, name string) ([]T, error) {
	answer, err := fetch[map[string][]T](ctx, c, &call{method: "GET", path: path})
	if err != nil {
		return nil, err
	}
	return (*answer)[name], nil
}

func (c *Client) drop(ctx context.Context, folder, id string) error {
	return c.nothing(ctx, &call{method: "DELETE", path: folder + url.PathEscape(id)})
}

// Templates lists what sandboxes are made from.
func (c *Client) Templates(ctx context.Context) ([]Template, error) {
	return listOf[Template](ctx, c, "/api/v1/templates", "templates")
}

// Template gives one.
func (c *Client) Template(ctx context.Context, id string) (*Template, error) {
	return fetch[Template](ctx, c, &call{method: "GET", path: "/api/v1/templates/" + url.PathEscape(id)})
}

// CreateTemplate adds one (admin).
func (c *Client) CreateTemplate(ctx context.Context, body *TemplateBody) (*Template, error) {
	return fetch[Template](ctx, c, (&call{method: "POST", path: "/api/v1/templates", json: body}).withKey(""))
}

// ReplaceTemplate replaces one (admin); sandboxes that exist keep what they have.
func (c *Client) ReplaceTemplate(ctx context.Context, id string, body *TemplateBody) (*Template, error) {
	return fetch[Template](ctx, c, &call{method: "PUT", path: "/api/v1/templates/" + url.PathEscape(id), json: body})
}

// DeleteTemplate removes one (admin).
func (c *Client) DeleteTemplate(ctx context.Context, id string) error {
	return c.drop(ctx, "/api/v1/templates/", id)
}

// Snapshots lists the file systems that were kept.
func (c *Client) Snapshots(ctx context.Context) ([]Snapshot, error) {
	return listOf[Snapshot](ctx, c, "/api/v1/snapshots", "snapshots")
}

// Snapshot gives one.
func (c *Client) Snapshot(ctx context.Context, id string) (*Snapshot, error) {
	return fetch[Snapshot](ctx, c, &call{method: "GET", path: "/api/v1/snapshots/" + url.PathEscape(id)})
}

// DeleteSnapshot removes one.
func (c *Client) DeleteSnapshot(ctx context.Context, id string) error {
	return c.drop(ctx, "/api/v1/snapshots/", id)
}

// Secrets lists the tenant's secrets, without their values.
func (c *Client) Secrets(ctx context.Context) ([]Secret, error) {
	return listOf[Secret](ctx, c, "/api/v1/secrets", "secrets")
}

// Secret gives one, without its value.
func (c *Client) Secret(ctx context.Context, name string) (*Secret, error) {
	return fetch[Secret](ctx, c, &call{method: "GET", path: "/api/v1/secrets/" + url.PathEscape(name)})
}

// PutSecret makes a secret, or replaces its value (admin). Nobody reads it back.
func (c *Client) PutSecret(ctx context.Context, name, value string) (*Secret, error) {
	return fetch[Secret](ctx, c, &call{method: "PUT", path: "/api/v1/secrets/" + url.PathEscape(name), json: PutSecret{Value: value}})
}

// DeleteSecret removes one (admin).
func (c *Client) DeleteSecret(ctx context.Context, name string) error {
	return c.drop(ctx, "/api/v1/secrets/", name)
}

// KeyOptions say what a key is for. Everything may be absent.
type KeyOptions struct {
	Tenant string `json:"tenant,omitempty"`
	Role   Role   `json:"role,omitempty"`
	Name   string `json:"name,omitempty"`
}

// CreateKey makes an API key (admin, owner); this answer alone holds its secret.
func (c *Client) CreateKey(ctx context.Context, options KeyOptions) (*Key, error) {
	return fetch[Key](ctx, c, (&call{method: "POST", path: "/api/v1/keys", json: options}).withKey(""))
}

// Keys lists those of the tenant (admin), or all (owner).
func (c *Client) Keys(ctx context.Context) ([]Key, error) {
	return listOf[Key](ctx, c, "/api/v1/keys", "keys")
}

// RevokeKey ends a key.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.drop(ctx, "/api/v1/keys/", id)
}

// Runtimes lists the nodes.
func (c *Client) Runtimes(ctx context.Context) ([]Runtime, error) {
	return listOf[Runtime](ctx, c, "/api/v1/runtimes", "runtimes")
}

// Backend is a kind of walls, and whether it works on the server.
type Backend struct {
	Name         string   `json:"name"`
	Status       string   `json:"status"`
	Isolation    string   `json:"isolation"`
	Capabilities []string `json:"capabilities"`
	Available    bool     `json:"available"`
	Reason       *string  `json:"reason"`
}

// Backends are the kinds of walls, and which of them a template has that says nothing else.
type Backends struct {
	Default  string    `json:"default"`
	Backends []Backend `json:"backends"`
}

// Backends asks which there are.
func (c *Client) Backends(ctx context.Context) (*Backends, error) {
	return fetch[Backends](ctx, c, &call{method: "GET", path: "/api/v1/backends"})
}

// Status is what a server says of itself.
type Status struct {
	Status     string `json:"status"`
	Version    string `json:"version,omitempty"`
	Recovering int    `json:"recovering"`
}

// Health tells whether the server lives.
func (c *Client) Health(ctx context.Context) (*Status, error) {
	return fetch[Status](ctx, c, &call{method: "GET", path: "/api/v1/health"})
}

// Ready tells whether the server takes requests.
func (c *Client) Ready(ctx context.Context) (*Status, error) {
	return fetch[Status](ctx, c, &call{method: "GET", path: "/api/v1/ready"})
}

// CheckPolicy tells how risky code looks; nothing is run. Without a language it is Python.
func (c *Client) CheckPolicy(ctx context.Context, code, language string) (*Judgement, error) {
	body := PolicyCheck{Code: code, Language: first(language, "python")}
	return fetch[Judgement](ctx, c, &call{method: "POST", path: "/api/v1/policy/check", json: body, repeatable: true})
}

// Metrics are the server's figures, as Prometheus reads them.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	_, body, err := c.read(ctx, &call{method: "GET", path: "/api/v1/metrics"})
	return string(body), err
}

// AuditOptions narrow an audit. Everything may be absent.
type AuditOptions struct {
	Action           AuditAction
	SandboxID, KeyID string
	Since, Until     time.Time
	PageSize         int
}

// Audit tells who did what, newest first (admin).
func (c *Client) Audit(ctx context.Context, o AuditOptions) iter.Seq2[*AuditRow, error] {
	query := url.Values{}
	setAll(query, "action", string(o.Action), "session_id", o.SandboxID, "key_id", o.KeyID)
	for name, at := range map[string]time.Time{"since": o.Since, "until": o.Until} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	setNumber(query, "limit", o.PageSize)
	return pages[AuditRow](ctx, c, "/api/v1/audit", "audit", query)
}

// Map does something for every item in a sandbox of its own, parallel at a time (10 if that is 0);
// the results are in the order of the items. The first failure ends the rest and is returned; no
// sandbox is left behind.
func Map[T, R any](
	ctx context.Context, c *Client, items []T, parallel int, options *CreateOptions,
	work func(ctx context.Context, sandbox *Sandbox, item T) (R, error),
) ([]R, error) {
	if parallel <= 0 {
		parallel = 10
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]R, len(items))
	indexes := make(chan int, len(items))
	for index := range items {
		indexes <- index
	}
	close(indexes)
	done := make(chan error)
	workers := min(parallel, len(items))
	one := func(index int) error {
		sandbox, err := c.Create(ctx, options)
		if err != nil {
			return err
		}
		results[index], err = work(ctx, sandbox, items[index])
		if failure := sandbox.Close(); err == nil {
			err = failure
		}
		return err
	}
	for range workers {
		go func() {
			var failure error
			for index := range indexes {
				if failure = ctx.Err(); failure != nil {
					break
				}
				if failure = one(index); failure != nil {
					cancel(failure)
					break
				}
			}
			done <- failure
		}()
	}
	var failures []error
	for range workers {
		if err := <-done; err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		return nil, context.Cause(ctx) // the first failure, or why the caller's context ended
	}
	return results, nil
}
