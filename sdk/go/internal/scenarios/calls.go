package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atoll-dev/atoll-go"
)

// arguments of a step.
type arguments struct{ given object }

func (a arguments) has(name string) bool    { return a.given[name] != nil }
func (a arguments) text(name string) string { text, _ := a.given[name].(string); return text }
func (a arguments) flag(name string) bool   { flag, _ := a.given[name].(bool); return flag }
func (a arguments) number(name string) int  { number, _ := a.given[name].(float64); return int(number) }
func (a arguments) flagOr(name string) bool { return !a.has(name) || a.flag(name) }
func (a arguments) strings(name string) map[string]string {
	return into[map[string]string](a.given[name])
}
func (a arguments) duration(name string) time.Duration {
	seconds, ok := a.given[name].(float64)
	if ok && seconds == 0 {
		return atoll.Forever
	}
	return time.Duration(seconds * float64(time.Second))
}

// into is a value of JSON as a type of the SDK.
func into[T any](value any) T {
	var out T
	text, _ := json.Marshal(value)
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func newClient(one *scenario, server, key string, retries *int, timeout time.Duration) *atoll.Client {
	if server == "" {
		server = one.Server
	}
	urls := map[string]string{"": "ATOLL_URL", "main": "ATOLL_URL", "faulty": "ATOLL_FAULTY_URL", "spare": "ATOLL_SPARE_URL", "dead": "ATOLL_DEAD_URL"}
	if key == "" {
		key = one.Key
	}
	if key == "" {
		key = map[bool]string{true: "spare", false: "owner"}[server == "spare"]
	}
	var keys map[string]string
	if err := json.Unmarshal([]byte(os.Getenv("ATOLL_KEYS")), &keys); err != nil {
		panic(err)
	}
	options := &atoll.Options{URL: os.Getenv(urls[server]), APIKey: keys[key], Timeout: timeout}
	if retries != nil {
		options.Retries = *retries
		if *retries == 0 {
			options.Retries = -1
		}
	}
	return atoll.NewClient(options)
}

type results struct {
	value, thing any
	err          error
}

func (w *world) call(ctx context.Context, target any, name string, a arguments) (any, any, error) {
	var done *results
	switch on := target.(type) {
	case *atoll.Client:
		done = w.onClient(ctx, on, name, a)
	case *atoll.Sandbox:
		if done = w.onSandbox(ctx, on, name, a); done == nil {
			done = w.onFiles(ctx, on, name, a)
		}
	case *atoll.RunningExecution:
		done = onExecution(ctx, on, name, a)
	case *atoll.CodeContext:
		done = onContext(ctx, on, name, a)
	case *atoll.EventStream[atoll.FileEvent]:
		done = onStream(on, name, a)
	case *atoll.EventStream[atoll.LifeEvent]:
		done = onStream(on, name, a)
	case *atoll.Terminal:
		done = onTerminal(ctx, on, name, a)
	}
	if done == nil {
		return nil, nil, fmt.Errorf("the runner has no step %s on %T", name, target)
	}
	return done.value, done.thing, done.err
}

func of(value any, err error) *results { return &results{value, nil, err} }

func named[T any](name string) func(T, error) *results {
	return func(value T, err error) *results { return of(object{name: value}, err) }
}

func nothing(err error) *results { return of(object{}, err) }

func runOptions(a arguments) *atoll.RunOptions {
	stdin := []byte(a.text("stdin"))
	if a.has("stdin_b64") {
		stdin, _ = base64.StdEncoding.DecodeString(a.text("stdin_b64"))
	}
	return &atoll.RunOptions{
		Language: a.text("language"), Context: a.text("context"), Cwd: a.text("cwd"), Env: a.strings("env"), Stdin: stdin,
		StdinOpen: a.flag("stdin_open"), Timeout: a.duration("timeout"), MaxOutputBytes: int64(a.number("max_output_bytes")),
		TrackFiles: a.flag("track_files"), IdempotencyKey: a.text("idempotency_key"), Check: a.flag("check"),
	}
}

func workOf(a arguments) atoll.Work {
	switch command := a.given["command"].(type) {
	case string:
		return atoll.Shell(command)
	case []any:
		words := into[[]string](command)
		return atoll.Command(words[0], words[1:]...)
	}
	return atoll.Code(a.text("code"))
}

func followed(events iter.Seq2[*atoll.Event, error], a arguments) *results {
	list, stdout, stderr, shown := []any{}, "", "", []any{}
	var execution any
	left := false
	for event, err := range events {
		if err != nil {
			return of(nil, err)
		}
		told := object{"type": event.Type}
		switch event.Type {
		case "init", "complete":
			execution = event.Execution
		case "stdout":
			told["text"], stdout = event.Text, stdout+event.Text
		case "stderr":
			told["text"], stderr = event.Text, stderr+event.Text
		case "result":
			shown = append(shown, event.Result)
		}
		list = append(list, told)
		if event.Type == "stdout" && a.has("leave_on") && strings.Contains(stdout, a.text("leave_on")) {
			left = true
			break
		}
	}
	return of(object{"events": list, "stdout": stdout, "stderr": stderr, "results": shown, "execution": execution, "left": left}, nil)
}

func createOptions(a arguments) *atoll.CreateOptions {
	options := &atoll.CreateOptions{
		Template: a.text("template"), SessionKey: a.text("session_key"), Timeout: a.duration("timeout"),
		IdleTimeout: a.duration("idle_timeout"), Env: a.strings("env"), Labels: a.strings("labels"),
		Metadata: into[map[string]any](a.given["metadata"]), Network: into[*atoll.NetworkPolicy](a.given["network"]),
		Resources: into[*atoll.Resources](a.given["resources"]), Snapshot: a.text("snapshot"), NoWait: !a.flagOr("wait"),
		IdempotencyKey: a.text("idempotency_key"),
	}
	if a.has("allow_network") {
		allow := a.flag("allow_network")
		options.AllowNetwork = &allow
	}
	return options
}

func (w *world) onClient(ctx context.Context, c *atoll.Client, name string, a arguments) *results {
	id := a.text("id")
	switch name {
	case "client":
		var retries *int
		if a.has("retries") {
			number := a.number("retries")
			retries = &number
		}
		return &results{object{}, newClient(w.scenario, a.text("server"), a.text("key"), retries, a.duration("timeout")), nil}
	case "health":
		return of(c.Health(ctx))
	case "ready":
		return of(c.Ready(ctx))
	case "backends":
		return of(c.Backends(ctx))
	case "check_policy":
		return of(c.CheckPolicy(ctx, a.text("code"), a.text("language")))
	case "runtimes":
		return named[[]atoll.Runtime]("runtimes")(c.Runtimes(ctx))
	case "create":
		sandbox, err := c.Create(ctx, createOptions(a))
		if err != nil {
			return of(nil, err)
		}
		w.atEnd(func(ctx context.Context) { _ = sandbox.End(ctx) })
		return &results{sandbox.Info(), sandbox, nil}
	case "connect":
		sandbox, err := c.Connect(ctx, id)
		if err != nil {
			return of(nil, err)
		}
		return &results{sandbox.Info(), sandbox, nil}
	case "list":
		var sessions []*atoll.Session
		for sandbox, err := range c.List(ctx, &atoll.ListOptions{
			Labels: a.strings("labels"), Status: into[[]atoll.SessionState](a.given["status"]), Template: a.text("template"),
			SessionKey: a.text("session_key"), PageSize: a.number("page_size"),
		}) {
			if err != nil {
				return of(nil, err)
			}
			sessions = append(sessions, sandbox.Info())
		}
		if sessions == nil {
			sessions = []*atoll.Session{}
		}
		return of(object{"sessions": sessions}, nil)
	case "end_by_key":
		return nothing(c.EndByKey(ctx, a.text("session_key")))
	case "run_once":
		return of(c.RunOnce(ctx, workOf(a), a.text("template"), runOptions(a)))
	case "map":
		return named[[]*atoll.Execution]("results")(atoll.Map(ctx, c, into[[]string](a.given["codes"]), a.number("parallel"), nil,
			func(ctx context.Context, sandbox *atoll.Sandbox, code string) (*atoll.Execution, error) {
				return sandbox.Run(ctx, atoll.Code(code), nil)
			}))
	case "create_template":
		made, err := c.CreateTemplate(ctx, into[*atoll.TemplateBody](a.given["body"]))
		if err == nil {
			w.atEnd(func(ctx context.Context) { _ = c.DeleteTemplate(ctx, made.ID) })
		}
		return of(made, err)
	case "get_template":
		return of(c.Template(ctx, id))
	case "list_templates":
		return named[[]atoll.Template]("templates")(c.Templates(ctx))
	case "replace_template":
		return of(c.ReplaceTemplate(ctx, id, into[*atoll.TemplateBody](a.given["body"])))
	case "delete_template":
		return nothing(c.DeleteTemplate(ctx, id))
	case "snapshots":
		return named[[]atoll.Snapshot]("snapshots")(c.Snapshots(ctx))
	case "get_snapshot":
		return of(c.Snapshot(ctx, id))
	case "delete_snapshot":
		return nothing(c.DeleteSnapshot(ctx, id))
	case "put_secret":
		return of(c.PutSecret(ctx, a.text("name"), a.text("value")))
	case "get_secret":
		return of(c.Secret(ctx, a.text("name")))
	case "list_secrets":
		return named[[]atoll.Secret]("secrets")(c.Secrets(ctx))
	case "delete_secret":
		return nothing(c.DeleteSecret(ctx, a.text("name")))
	case "create_key":
		return of(c.CreateKey(ctx, into[atoll.KeyOptions](a.given)))
	case "list_keys":
		return named[[]atoll.Key]("keys")(c.Keys(ctx))
	case "revoke_key":
		return nothing(c.RevokeKey(ctx, id))
	case "audit":
		options := atoll.AuditOptions{Action: atoll.AuditAction(a.text("action")), SandboxID: a.text("session_id")}
		return named[[]*atoll.AuditRow]("audit")(atoll.All(c.Audit(ctx, options)))
	case "events":
		stream, err := c.Events(context.WithoutCancel(ctx))
		if err != nil {
			return of(nil, err)
		}
		w.atEnd(func(context.Context) { _ = stream.Close() })
		return &results{object{}, stream, nil}
	case "assert":
		return of(a.given["value"], nil)
	}
	return w.onHarness(name, a)
}

func control(method, path string, body any) (object, error) {
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(method, os.Getenv("ATOLL_CONTROL")+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var out object
	err = json.NewDecoder(answer.Body).Decode(&out)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("harness: %v", out)
	}
	return out, err
}

func (w *world) onHarness(name string, a arguments) *results {
	switch name {
	case "faults":
		w.atEnd(func(context.Context) { _, _ = control("POST", "/faults", object{"rules": []any{}}) })
		return of(control("POST", "/faults", a.given))
	case "server":
		return of(control("POST", "/server", a.given))
	case "requests":
		out, err := control("GET", "/requests", nil)
		if err != nil {
			return of(nil, err)
		}
		path := regexp.MustCompile(a.text("path"))
		found := []any{}
		for _, one := range out["requests"].([]any) {
			request := one.(object)
			if (!a.has("method") || request["method"] == a.text("method")) && path.MatchString(request["path"].(string)) {
				found = append(found, request)
			}
		}
		return of(object{"requests": found}, nil)
	}
	return nil
}

func (w *world) onSandbox(ctx context.Context, s *atoll.Sandbox, name string, a arguments) *results {
	switch name {
	case "get":
		return of(s.Refresh(ctx))
	case "end":
		return nothing(s.End(ctx))
	case "pause":
		return of(s.Pause(ctx))
	case "resume":
		return of(s.Resume(ctx))
	case "renew":
		return of(s.Renew(ctx, a.duration("seconds")))
	case "change":
		change := atoll.ChangeSession{Labels: a.strings("labels"), Metadata: into[map[string]any](a.given["metadata"])}
		if a.has("timeout") || a.has("idle_timeout") {
			change.Config = &atoll.ChangeSessionConfig{TimeoutSeconds: int64(a.number("timeout")), IdleTimeoutSeconds: int64(a.number("idle_timeout"))}
		}
		return of(s.Change(ctx, change))
	case "status":
		return of(s.Activity(ctx))
	case "diagnostics":
		return of(s.Diagnostics(ctx))
	case "usage":
		return of(s.Usage(ctx))
	case "processes":
		return named[[]atoll.Process]("processes")(s.Processes(ctx))
	case "results":
		return named[[]*atoll.Execution]("results")(atoll.All(s.Results(ctx)))
	case "run":
		return of(s.Run(ctx, workOf(a), runOptions(a)))
	case "run_text":
		return named[string]("text")(s.RunText(ctx, workOf(a), runOptions(a)))
	case "start":
		running, err := s.Start(ctx, workOf(a), runOptions(a))
		if err != nil {
			return of(nil, err)
		}
		return &results{running.Execution, running, nil}
	case "stream":
		return followed(s.Stream(ctx, workOf(a), runOptions(a)), a)
	case "open_context":
		made, err := s.OpenContext(ctx, into[atoll.ContextOptions](a.given))
		if err != nil {
			return of(nil, err)
		}
		return &results{made.Context, made, nil}
	case "contexts":
		return named[[]atoll.Context]("contexts")(s.Contexts(ctx))
	case "network":
		return of(s.Network(ctx))
	case "set_network":
		return of(s.SetNetwork(ctx, into[*atoll.NetworkPolicy](a.given["policy"])))
	case "snapshot":
		made, err := s.Snapshot(ctx, a.text("name"), a.text("idempotency_key"))
		if err == nil {
			w.atEnd(func(ctx context.Context) { _ = w.client.DeleteSnapshot(ctx, made.ID) })
		}
		return of(made, err)
	case "terminal":
		terminal, err := s.Terminal(ctx, atoll.TerminalOptions{Rows: a.number("rows"), Cols: a.number("cols"), Command: a.text("command"), Cwd: a.text("cwd")})
		if err != nil {
			return of(nil, err)
		}
		w.atEnd(func(context.Context) { _ = terminal.Close() })
		return &results{object{}, terminal, nil}
	case "http":
		return overPort(ctx, s.Port(a.number("port")), a)
	case "port_url":
		return of(object{"url": s.Port(a.number("port")).URL()}, nil)
	case "preview":
		return of(s.Port(a.number("port")).Preview(ctx, a.duration("ttl")))
	}
	return nil
}

func overPort(ctx context.Context, port *atoll.Port, a arguments) *results {
	header := http.Header{}
	for name, value := range a.strings("headers") {
		header.Set(name, value)
	}
	method := a.text("method")
	if method == "" {
		method = http.MethodGet
	}
	answer, err := port.Do(ctx, method, a.text("path"), header, strings.NewReader(a.text("body")))
	if err != nil {
		return of(nil, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return of(object{"status": answer.StatusCode, "body": string(body)}, err)
}

func hashed(data io.Reader) *results {
	hash := sha256.New()
	var kept bytes.Buffer
	size, err := io.Copy(io.MultiWriter(hash, &kept), data)
	var text any
	if size <= 1<<20 && utf8.Valid(kept.Bytes()) {
		text = kept.String()
	}
	return of(object{"size": size, "sha256": hex.EncodeToString(hash.Sum(nil)), "text": text}, err)
}

func content(a arguments) []byte {
	if a.has("b64") {
		data, _ := base64.StdEncoding.DecodeString(a.text("b64"))
		return data
	}
	if !a.has("size") {
		return []byte(a.text("text"))
	}
	data := make([]byte, a.number("size"))
	for i := range data {
		data[i] = byte(i*131 + (i>>8)*17)
	}
	return data
}

func temporary() string {
	folder, err := os.MkdirTemp(os.Getenv("ATOLL_FOLDER"), "go-")
	if err != nil {
		panic(err)
	}
	return folder
}

func (w *world) onFiles(ctx context.Context, s *atoll.Sandbox, name string, a arguments) *results {
	path := a.text("path")
	switch name {
	case "write":
		switch a.text("from") {
		case "file":
			return of(s.WriteFrom(ctx, path, bytes.NewReader(content(a)), a.text("mode")))
		case "path":
			local := filepath.Join(temporary(), "source")
			if err := os.WriteFile(local, content(a), 0o600); err != nil {
				return of(nil, err)
			}
			return of(s.Upload(ctx, local, path, a.text("mode")))
		}
		return of(s.WriteFile(ctx, path, content(a), a.text("mode")))
	case "read":
		return read(ctx, s, a)
	case "list_files":
		options := atoll.FileOptions{Path: path, Depth: a.number("depth"), Glob: a.text("glob"), Contains: a.text("contains"), PageSize: a.number("page_size")}
		return named[[]*atoll.File]("files")(atoll.All(s.Files(ctx, options)))
	case "remove":
		return nothing(s.Remove(ctx, path, a.flag("recursive")))
	case "mkdir":
		if a.flagOr("parents") {
			return of(s.MakeFolder(ctx, path, a.text("mode")))
		}
		return of(s.MakeNewFolder(ctx, path, a.text("mode")))
	case "move":
		return of(s.Move(ctx, a.text("from"), a.text("to"), a.flag("overwrite")))
	case "chmod":
		return of(s.Chmod(ctx, path, a.text("mode")))
	case "replace":
		return named[int64]("count")(s.Replace(ctx, path, a.text("old"), a.text("new")))
	case "links":
		return of(s.MakeLinks(ctx, path, into[[]atoll.Link](a.given["links"])))
	case "upload_folder":
		return uploadFolder(ctx, s, a)
	case "download_folder":
		return downloadFolder(ctx, s, a)
	case "watch":
		stream, err := s.Watch(context.WithoutCancel(ctx), path, a.flagOr("recursive"))
		if err != nil {
			return of(nil, err)
		}
		w.atEnd(func(context.Context) { _ = stream.Close() })
		return &results{object{}, stream, nil}
	}
	return nil
}

func read(ctx context.Context, s *atoll.Sandbox, a arguments) *results {
	var part *atoll.Range
	if a.has("first") || a.has("last") {
		part = &atoll.Range{First: int64(a.number("first")), Last: -1}
		if a.has("last") {
			part.Last = int64(a.number("last"))
		}
	}
	switch a.text("to") {
	case "stream":
		body, err := s.Open(ctx, a.text("path"), part)
		if err != nil {
			return of(nil, err)
		}
		defer body.Close()
		return hashed(body)
	case "path":
		local := filepath.Join(temporary(), "content")
		if err := s.Download(ctx, a.text("path"), local); err != nil {
			return of(nil, err)
		}
		file, err := os.Open(local)
		if err != nil {
			return of(nil, err)
		}
		defer file.Close()
		return hashed(file)
	}
	data, err := s.ReadFile(ctx, a.text("path"), part)
	if err != nil {
		return of(nil, err)
	}
	return hashed(bytes.NewReader(data))
}

func uploadFolder(ctx context.Context, s *atoll.Sandbox, a arguments) *results {
	folder := temporary()
	files := a.strings("files")
	if files == nil {
		files = map[string]string{}
		for i := range a.number("count") {
			files[fmt.Sprintf("f%05d.txt", i)] = fmt.Sprint(i)
		}
	}
	for name, text := range files {
		at := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return of(nil, err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return of(nil, err)
		}
	}
	reported := int64(0)
	count, err := s.UploadFolder(ctx, folder, a.text("to"), func(_ int, bytes int64) { reported = bytes })
	out := object{"files": count}
	if a.flag("progress") {
		out["reported"] = reported
	}
	return of(out, err)
}

func downloadFolder(ctx context.Context, s *atoll.Sandbox, a arguments) *results {
	folder := temporary()
	count, err := s.DownloadFolder(ctx, a.text("path"), folder, nil)
	if err != nil || a.flag("count") {
		return of(object{"count": count}, err)
	}
	files := object{}
	err = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(at)
		files[at[len(folder)+1:]] = string(text)
		return err
	})
	return of(object{"files": files}, err)
}

func onExecution(ctx context.Context, r *atoll.RunningExecution, name string, a arguments) *results {
	switch name {
	case "get":
		return of(r.Get(ctx))
	case "wait":
		return of(r.Wait(ctx))
	case "cancel":
		return nothing(r.Cancel(ctx))
	case "signal":
		return nothing(r.Signal(ctx, a.text("signal")))
	case "stdin":
		return nothing(r.WriteStdin(ctx, content(a), a.flag("close")))
	case "follow":
		return followed(r.Follow(ctx), a)
	}
	return nil
}

func onContext(ctx context.Context, c *atoll.CodeContext, name string, a arguments) *results {
	switch name {
	case "run":
		done, err := c.Run(ctx, a.text("code"), runOptions(a))
		if err != nil || !a.flag("display") {
			return of(done, err)
		}
		value := plain(done).(object)
		shown := done.Value()
		value["html"], value["text"], value["png_bytes"], value["chart"] = orNull(shown.HTML()), orNull(shown.Text()), len(shown.PNG()), shown.Chart()
		return of(value, nil)
	case "close":
		return nothing(c.Close(ctx))
	}
	return nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func onStream[T any](stream *atoll.EventStream[T], name string, a arguments) *results {
	switch name {
	case "next_event":
		timer := time.AfterFunc(patience, func() { _ = stream.Close() })
		defer timer.Stop()
		for {
			event, err := stream.Next()
			if err != nil || event == nil {
				return of(nil, fmt.Errorf("no such event: %v: %w", a.given["match"], err))
			}
			value := plain(event).(object)
			value["type"] = value["event"]
			if holdsMembers(value, a.given["match"].(object)) {
				return of(value, nil)
			}
		}
	case "close":
		return nothing(stream.Close())
	}
	return nil
}

func onTerminal(ctx context.Context, t *atoll.Terminal, name string, a arguments) *results {
	switch name {
	case "send":
		_, err := t.Write([]byte(a.text("text")))
		return nothing(err)
	case "resize":
		return nothing(t.Resize(a.number("rows"), a.number("cols")))
	case "read_until":
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return named[string]("text")(t.ReadUntil(ctx, a.text("text")))
	case "wait_exit":
		return of(t.Wait())
	case "close":
		return nothing(t.Close())
	}
	return nil
}
