package atoll

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Port is a server inside the sandbox; it is reached through the API, also without network.
type Port struct {
	client *Client
	path   string
	Number int
}

// Port gives one by its number.
func (s *Sandbox) Port(number int) *Port {
	return &Port{s.client, s.path(""), number}
}

// URL is for programs, with Header.
func (p *Port) URL() string { return fmt.Sprintf("%s%s/proxy/%d/", p.client.url, p.path, p.Number) }

// Header is what requests to URL carry.
func (p *Port) Header() http.Header { return p.client.header.Clone() }

// Do sends a request to the port; whatever it answers is the answer, 502 when nobody does. The caller closes its body.
func (p *Port) Do(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.URL()+strings.TrimPrefix(path, "/"), body)
	if err != nil {
		return nil, err
	}
	request.Header = p.Header()
	for name, values := range header {
		request.Header[name] = values
	}
	client := *p.client.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(request)
	if err != nil {
		return nil, p.client.connectionError(err)
	}
	return answer, nil
}

// Get asks for a path.
func (p *Port) Get(ctx context.Context, path string) (*http.Response, error) {
	return p.Do(ctx, http.MethodGet, path, nil, nil)
}

// WaitReady waits until something answers, or the context ends.
func (p *Port) WaitReady(ctx context.Context) error {
	for {
		answer, err := p.Get(ctx, "/")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusBadGateway && answer.StatusCode != http.StatusServiceUnavailable {
				return nil
			}
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// Preview lets a browser see a port.
type Preview struct {
	Token     string    `json:"token"`
	URLs      []string  `json:"urls"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Preview asks for URLs that are valid for ttl; 0: five minutes.
func (p *Port) Preview(ctx context.Context, ttl time.Duration) (*Preview, error) {
	body := struct {
		TTL int64 `json:"ttl,omitempty"`
	}{int64(ttl / time.Second)}
	return fetch[Preview](ctx, p.client, &call{
		method: "POST", path: fmt.Sprintf("%s/ports/%d/token", p.path, p.Number), json: body, repeatable: true,
	})
}
