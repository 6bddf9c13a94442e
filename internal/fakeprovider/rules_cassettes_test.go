package fakeprovider

import (
	"bytes"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Requests of the cassettes in this repository, which the SDKs of many tests
// made, are not refused.
func TestRulesTakeTheRequestsOfCassettes(t *testing.T) {
	root := filepath.Join("..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		isCassette := strings.HasSuffix(path, ".yaml") && strings.Contains(path, "cassettes")
		if err != nil || !isCassette {
			return err
		}
		file, err := cassette.Load(path)
		if err != nil {
			return nil // a cassette of another tool, or a broken one
		}
		for _, it := range file.Interactions {
			if it.Response.Status == http.StatusOK && isTaken(t, path, &it.Request) {
				checked++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 30 {
		t.Errorf("%d requests were checked, want 30 at least", checked)
	}
}

// isTaken reports whether a recorded request is one for a model, and fails the
// test if a rule refuses it.
func isTaken(t *testing.T, path string, recorded *interaction.Request) bool {
	t.Helper()
	r, err := http.NewRequest(recorded.Method, recorded.URL, bytes.NewReader(recorded.Body))
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer sk-test")
	req := Read(r, recorded.Body, &State{})
	if p := req.Problem; p != nil && p.Rule != "" {
		t.Errorf("%s: refused by %q: %s\n%s", path, p.Rule, p.Message, recorded.Body)
	}
	return req.Endpoint() != ""
}
