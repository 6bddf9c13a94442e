package programs

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// newGitServer returns the handler of a server with a repository, lib.git.
func newGitServer(t *testing.T) http.Handler {
	t.Helper()
	root := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+root,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main", "lib")
	for name, text := range map[string]string{
		"README":   "a library\n",
		"numbers":  strings.Repeat("0123456789\n", 10_000),
		"greeting": "hello\n",
	} {
		err := os.WriteFile(filepath.Join(root, "lib", name), []byte(text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	git("-C", "lib", "add", ".")
	git("-C", "lib", "commit", "-q", "-m", "A first commit")
	git("clone", "-q", "--bare", "lib", "lib.git")
	return &cgi.Handler{
		Path: filepath.Join(git("--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1"},
	}
}

// serveSocket greets each message of a WebSocket.
func serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	for {
		kind, message, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		err = conn.Write(r.Context(), kind, append([]byte("hello, "), message...))
		if err != nil {
			return
		}
	}
}

// searchBrave answers as the search of Brave does, with a page that we made up.
func searchBrave(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{
		"type": "search",
		"query": {"original": %q},
		"web": {"type": "search", "results": [
			{"title": "A page", "url": "https://example.com/page", "description": "A page that we made up."}
		]}
	}`, r.URL.Query().Get("q"))
}

// newZip returns a zip file.
func newZip(files map[string]string) []byte {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(files[name]))
		}
		if err != nil {
			panic(err) // a buffer does not fail
		}
	}
	err := w.Close()
	if err != nil {
		panic(err)
	}
	return data.Bytes()
}

// serveNPM serves the description of a package that we made up.
func serveNPM(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/made-up-package" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	version := map[string]any{
		"name":    "made-up-package",
		"version": "1.2.3",
		"dist": map[string]string{
			"tarball": "https://registry.npmjs.org/made-up-package/-/made-up-package-1.2.3.tgz",
			"shasum":  fmt.Sprintf("%x", sha1.Sum(nil)),
		},
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone
		"name":      "made-up-package",
		"dist-tags": map[string]string{"latest": "1.2.3"},
		"versions":  map[string]any{"1.2.3": version},
	})
}

// servePyPI serves a wheel of a package that we made up.
func servePyPI(w http.ResponseWriter, r *http.Request) {
	const (
		file = "made_up_package-1.2.3-py3-none-any.whl"
		info = "made_up_package-1.2.3.dist-info/"
	)
	wheel := newZip(map[string]string{
		"made_up_package.py": "answer = 42\n",
		info + "METADATA":    "Metadata-Version: 2.1\nName: made-up-package\nVersion: 1.2.3\n",
		info + "WHEEL":       "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "RECORD":      "",
	})
	switch r.URL.Path {
	case "/simple/made-up-package/":
		w.Header().Set("Content-Type", "text/html")
		const page = `<!DOCTYPE html><a href="/files/%s#sha256=%x">%[1]s</a>`
		fmt.Fprintf(w, page, file, sha256.Sum256(wheel))
	case "/files/" + file:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(wheel) // the client may be gone
	default:
		http.NotFound(w, r)
	}
}

// serveGoModule serves a module that we made up.
func serveGoModule(w http.ResponseWriter, r *http.Request) {
	const (
		module = "example.com/madeup@v1.2.3/"
		goMod  = "module example.com/madeup\n\ngo 1.26\n"
	)
	switch r.URL.Path {
	case "/example.com/madeup/@v/v1.2.3.info":
		fmt.Fprint(w, `{"Version": "v1.2.3", "Time": "2026-01-02T03:04:05Z"}`)
	case "/example.com/madeup/@v/v1.2.3.mod":
		fmt.Fprint(w, goMod)
	case "/example.com/madeup/@v/v1.2.3.zip":
		w.Header().Set("Content-Type", "application/zip")
		_, _ = w.Write(newZip(map[string]string{ // the client may be gone
			module + "go.mod":    goMod,
			module + "madeup.go": "package madeup\n",
		}))
	default:
		http.NotFound(w, r)
	}
}

// absolute returns the absolute path of a file of this package.
func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
