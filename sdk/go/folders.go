package atoll

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	batchFiles = 500 // the server takes 1000 parts
	batchBytes = 8 << 20
)

// Progress is how far a folder is. A nil one is not called.
type Progress func(files int, bytes int64)

// UploadFolder sends a folder of this machine; the number of files.
func (s *Sandbox) UploadFolder(ctx context.Context, local, to string, progress Progress) (int, error) {
	up := &upload{ctx: ctx, sandbox: s, to: to, progress: progress, batches: map[string]*batch{}}
	err := filepath.WalkDir(local, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(local, at)
		if err != nil || name == "." {
			return err
		}
		return up.add(at, filepath.ToSlash(name), entry)
	})
	for _, one := range up.batches {
		if err == nil {
			err = up.send(one)
		}
	}
	for len(up.links) > 0 && err == nil {
		count := min(len(up.links), 1000)
		_, err = s.MakeLinks(ctx, first(to, "."), up.links[:count])
		up.links = up.links[count:]
	}
	return up.files, err
}

type batch struct {
	mode  string
	names []string
	data  [][]byte
	size  int64
}

type upload struct {
	ctx      context.Context
	sandbox  *Sandbox
	to       string
	progress Progress
	batches  map[string]*batch // by mode
	links    []Link
	files    int
	bytes    int64
}

func (u *upload) add(at, name string, entry fs.DirEntry) error {
	switch {
	case entry.IsDir():
		entries, err := os.ReadDir(at)
		if err == nil && len(entries) == 0 {
			_, err = u.sandbox.MakeFolder(u.ctx, path.Join(u.to, name), "")
		}
		return err
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		u.links = append(u.links, Link{Name: name, Target: target})
		return err
	case !entry.Type().IsRegular():
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	mode := "0644"
	if info.Mode()&0o100 != 0 {
		mode = "0755"
	}
	if info.Size() > batchBytes {
		if _, err := u.sandbox.Upload(u.ctx, at, path.Join(u.to, name), mode); err != nil {
			return err
		}
		u.tell(1, info.Size())
		return nil
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	one := u.batches[mode]
	if one == nil {
		one = &batch{mode: mode}
		u.batches[mode] = one
	}
	one.names, one.data, one.size = append(one.names, name), append(one.data, data), one.size+int64(len(data))
	if len(one.names) >= batchFiles || one.size >= batchBytes {
		return u.send(one)
	}
	return nil
}

func (u *upload) tell(files int, bytes int64) {
	u.files, u.bytes = u.files+files, u.bytes+bytes
	if u.progress != nil {
		u.progress(u.files, u.bytes)
	}
}

func (u *upload) send(one *batch) error {
	if len(one.names) == 0 {
		return nil
	}
	boundary := "atoll-" + newKey()
	var body bytes.Buffer
	for i, name := range one.names {
		fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''%s\r\n\r\n", boundary, extended(name))
		body.Write(one.data[i])
		body.WriteString("\r\n")
	}
	fmt.Fprintf(&body, "--%s--\r\n", boundary)
	request := (&call{
		method: http.MethodPost, path: u.sandbox.path("/files/upload"), query: url.Values{"mode": {one.mode}}, repeatable: true,
		body: func() (io.Reader, error) { return bytes.NewReader(body.Bytes()), nil }, timeout: Forever,
	}).set("Content-Type", "multipart/form-data; boundary="+boundary)
	setAll(request.query, "path", u.to)
	if err := u.sandbox.client.nothing(u.ctx, request); err != nil {
		return err
	}
	u.tell(len(one.names), one.size)
	*one = batch{mode: one.mode}
	return nil
}

// extended encodes a name for filename*: everything but unreserved characters.
func extended(name string) string {
	var text strings.Builder
	for _, one := range []byte(name) {
		if one >= 'a' && one <= 'z' || one >= 'A' && one <= 'Z' || one >= '0' && one <= '9' || strings.IndexByte("-._~", one) >= 0 {
			text.WriteByte(one)
		} else {
			fmt.Fprintf(&text, "%%%02X", one)
		}
	}
	return text.String()
}

func unsafePath(name string) error {
	return &Error{Code: "unsafe_path", Message: "the archive holds a name that leads out: " + name}
}

// DownloadFolder fetches a folder; the number of files. The archive comes from a sandbox, so it is not trusted: names
// that lead out are refused, links that lead out are left out, and links are made last, so that nothing is written
// through them.
func (s *Sandbox) DownloadFolder(ctx context.Context, from, local string, progress Progress) (int, error) {
	if err := os.MkdirAll(local, 0o755); err != nil {
		return 0, err
	}
	root, err := filepath.EvalSymlinks(local)
	if err != nil {
		return 0, err
	}
	body, err := s.Open(ctx, from, nil)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	var links [][2]string
	archive := tar.NewReader(body)
	files, total := 0, int64(0)
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return files, err
		}
		if path.Clean(head.Name) == "." {
			continue
		}
		if !filepath.IsLocal(head.Name) {
			return files, unsafePath(head.Name)
		}
		at, err := prepare(root, head.Name)
		if err != nil {
			return files, err
		}
		switch head.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(at, 0o755)
		case tar.TypeSymlink:
			within, relErr := filepath.Rel(root, filepath.Join(filepath.Dir(at), head.Linkname))
			if relErr == nil && !filepath.IsAbs(head.Linkname) && filepath.IsLocal(within) {
				links = append(links, [2]string{head.Linkname, at})
			}
		case tar.TypeReg:
			err = writeFile(at, archive, fs.FileMode(head.Mode)&0o777)
			files, total = files+1, total+head.Size
			if progress != nil {
				progress(files, total)
			}
		}
		if err != nil {
			return files, err
		}
	}
	for _, link := range links {
		if err := os.Symlink(link[0], link[1]); err != nil {
			return files, err
		}
	}
	return files, nil
}

// prepare makes the folders above a name, and room for it.
func prepare(root, name string) (string, error) {
	at := filepath.Join(root, name)
	folder := filepath.Dir(at)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(folder); err != nil || real != folder {
		return "", unsafePath(name)
	}
	if old, err := os.Lstat(at); err == nil && !old.IsDir() {
		return at, os.Remove(at)
	}
	return at, nil
}

func writeFile(at string, data io.Reader, mode fs.FileMode) error {
	file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, data)
	if failure := file.Close(); err == nil {
		err = failure
	}
	return err
}
