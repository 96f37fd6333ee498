package atoll

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
)

// Files are those of a sandbox. Paths are relative to the workspace, or absolute below /workspace or /tmp.
// A mode is octal, as "0755"; empty: 0644.

func (s *Sandbox) filePath(path string) (string, error) {
	encoded, err := encodePath(path)
	return s.path("/files/" + encoded), err
}

// Range is a part of a file: from First to Last, both included and counted from 0; Last < 0: to the end.
type Range struct{ First, Last int64 }

func (r *Range) header() http.Header {
	if r == nil {
		return http.Header{}
	}
	if r.Last < 0 {
		return http.Header{"Range": {fmt.Sprintf("bytes=%d-", r.First)}}
	}
	return http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", r.First, r.Last)}}
}

// WriteFile writes a file whole; folders on the way are made.
func (s *Sandbox) WriteFile(ctx context.Context, path string, data []byte, mode string) (*File, error) {
	return s.put(ctx, path, mode, &call{body: func() (io.Reader, error) { return bytes.NewReader(data), nil }})
}

// WriteFrom writes what a reader gives. A reader that can seek can be sent again when a connection breaks.
func (s *Sandbox) WriteFrom(ctx context.Context, path string, data io.Reader, mode string) (*File, error) {
	seeker, ok := data.(io.Seeker)
	if !ok {
		return s.put(ctx, path, mode, &call{bodyOnce: data})
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return s.put(ctx, path, mode, &call{bodyOnce: data})
	}
	return s.put(ctx, path, mode, &call{body: func() (io.Reader, error) {
		_, err := seeker.Seek(start, io.SeekStart)
		return io.NopCloser(data), err
	}})
}

func (s *Sandbox) put(ctx context.Context, path, mode string, request *call) (*File, error) {
	at, err := s.filePath(path)
	if err != nil {
		return nil, err
	}
	request.method, request.path, request.timeout, request.query = http.MethodPut, at, Forever, url.Values{}
	setAll(request.query, "mode", mode)
	return fetch[File](ctx, s.client, request)
}

// ReadFile gives the content, or a part of it.
func (s *Sandbox) ReadFile(ctx context.Context, path string, part *Range) ([]byte, error) {
	body, err := s.Open(ctx, path, part)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// Open gives the content as it comes, of a folder as tar. A connection that breaks is made again from there on. The
// caller closes it.
func (s *Sandbox) Open(ctx context.Context, path string, part *Range) (io.ReadCloser, error) {
	at, err := s.filePath(path)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.open(ctx, &call{method: http.MethodGet, path: at, header: part.header()})
	if err != nil {
		return nil, err
	}
	reader := &resumable{ctx: ctx, client: s.client, path: at, body: answer.Body, tag: answer.Header.Get("ETag"), part: Range{0, -1}}
	if part != nil {
		reader.part = *part
	}
	return reader, nil
}

// resumable asks for the rest of a file where a connection breaks, if the file is the same.
type resumable struct {
	ctx      context.Context
	client   *Client
	path     string
	tag      string
	part     Range
	body     io.ReadCloser
	failures int
}

func (r *resumable) Read(buffer []byte) (int, error) {
	for {
		got, err := r.body.Read(buffer)
		r.part.First += int64(got)
		if err == nil || errors.Is(err, io.EOF) {
			r.failures = 0
			return got, err
		}
		if got > 0 {
			return got, nil
		}
		if err := r.reopen(err); err != nil {
			return 0, err
		}
	}
}

func (r *resumable) reopen(cause error) error {
	_ = r.body.Close()
	if failure := contextError(r.ctx); failure != nil {
		return failure
	}
	if r.failures++; r.failures > r.client.retries || r.tag == "" {
		return r.client.connectionError(cause)
	}
	if err := sleep(r.ctx, jitter(r.failures-1)); err != nil {
		return err
	}
	answer, err := r.client.open(r.ctx, &call{method: http.MethodGet, path: r.path, header: r.part.header()})
	if err != nil {
		return err
	}
	r.body = answer.Body
	if answer.StatusCode != http.StatusPartialContent || answer.Header.Get("ETag") != r.tag {
		return interrupted("the file has changed while it was read", cause)
	}
	return nil
}

func (r *resumable) Close() error { return r.body.Close() }

// FileOptions narrow a list of files. Everything may be absent.
type FileOptions struct {
	// Path of a folder; absent: the workspace.
	Path string
	// Depth in folders; absent: 1.
	Depth int
	// Glob and Contains search: for names like this, for files that hold this text.
	Glob, Contains string
	PageSize       int
}

// Files lists a folder, or searches below it.
func (s *Sandbox) Files(ctx context.Context, o FileOptions) iter.Seq2[*File, error] {
	query := url.Values{}
	setAll(query, "path", o.Path, "glob", o.Glob, "contains", o.Contains)
	setNumber(query, "depth", o.Depth)
	setNumber(query, "limit", o.PageSize)
	return pages[File](ctx, s.client, s.path("/files"), "files", query)
}

func (s *Sandbox) fileCall(ctx context.Context, what string, body any, repeatable bool) (*File, error) {
	return fetch[File](ctx, s.client, &call{method: "POST", path: s.path("/files/" + what), json: body, repeatable: repeatable})
}

// MakeFolder makes a folder and those on the way. The mode may be empty.
func (s *Sandbox) MakeFolder(ctx context.Context, path, mode string) (*File, error) {
	return s.fileCall(ctx, "mkdir", MakeFolder{Path: path, Mode: mode}, true)
}

// MakeNewFolder makes one folder, which must not be there, in one that is.
func (s *Sandbox) MakeNewFolder(ctx context.Context, path, mode string) (*File, error) {
	body := map[string]any{"path": path, "parents": false}
	if mode != "" {
		body["mode"] = mode
	}
	return s.fileCall(ctx, "mkdir", body, false)
}

// Move moves or renames a file or a folder.
func (s *Sandbox) Move(ctx context.Context, from, to string, overwrite bool) (*File, error) {
	return s.fileCall(ctx, "move", MoveFile{From: from, To: to, Overwrite: overwrite}, false)
}

// Chmod changes permissions.
func (s *Sandbox) Chmod(ctx context.Context, path, mode string) (*File, error) {
	return s.fileCall(ctx, "chmod", ChangeFileMode{Path: path, Mode: mode}, true)
}

// Replace replaces every occurrence of a text in a file of up to 16 MiB, and tells how many there were.
func (s *Sandbox) Replace(ctx context.Context, path, from, to string) (int64, error) {
	body := ReplaceText{Path: path, OldText: from, NewText: to}
	done, err := fetch[ReplacedText](ctx, s.client, &call{method: "POST", path: s.path("/files/replace"), json: body})
	if err != nil {
		return 0, err
	}
	return done.Count, nil
}

// Link is a symbolic link below a folder.
type Link = MakeLinksLinksItem

// MakeLinks makes symbolic links below a folder.
func (s *Sandbox) MakeLinks(ctx context.Context, path string, links []Link) (*File, error) {
	return s.fileCall(ctx, "links", MakeLinks{Path: path, Links: links}, true)
}

// Remove removes a file, or a folder; recursive: also one that holds something.
func (s *Sandbox) Remove(ctx context.Context, path string, recursive bool) error {
	at, err := s.filePath(path)
	if err != nil {
		return err
	}
	request := &call{method: http.MethodDelete, path: at}
	if recursive {
		request.query = url.Values{"recursive": {"true"}}
	}
	return s.client.nothing(ctx, request)
}

// Upload sends a file of this machine.
func (s *Sandbox) Upload(ctx context.Context, local, path, mode string) (*File, error) {
	file, err := os.Open(local)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return s.WriteFrom(ctx, path, file, mode)
}

// Download fetches a file. What is cut off leaves nothing behind.
func (s *Sandbox) Download(ctx context.Context, path, local string) (err error) {
	body, err := s.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer body.Close()
	partial, err := os.CreateTemp(filepath.Dir(local), ".atoll-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial.Name())
		}
	}()
	_, err = io.Copy(partial, body)
	if failure := partial.Close(); err == nil {
		err = failure
	}
	if err == nil {
		err = os.Rename(partial.Name(), local)
	}
	return err
}
