package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
)

// A world is a job of a pull request, with a fake of GitHub's API.
type world struct {
	*job
	api   *fakegithub.Server
	env   map[string]string
	log   *bytes.Buffer
	slept []time.Duration
}

const (
	repo   = "owner/app"
	number = 7
)

// newWorld returns the job of a pull request from a branch of the repository. When the test ends,
// the token must be in nothing that the job has written.
func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{api: fakegithub.New(repo, number), log: new(bytes.Buffer)}
	t.Cleanup(w.api.Close)
	w.env = map[string]string{
		"GITHUB_API_URL":      w.api.URL,
		"GITHUB_GRAPHQL_URL":  w.api.URL + "/graphql",
		"GITHUB_SERVER_URL":   "https://github.com",
		"GITHUB_REPOSITORY":   repo,
		"GITHUB_RUN_ID":       "123",
		"GITHUB_TOKEN":        fakegithub.Token,
		"GITHUB_EVENT_NAME":   "pull_request",
		"GITHUB_EVENT_PATH":   filepath.Join(dir, "event.json"),
		"GITHUB_ENV":          filepath.Join(dir, "env"),
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary.md"),
	}
	w.writeEvent(t, repo)
	w.job = &job{
		getenv: func(name string) string { return w.env[name] },
		out:    w.log,
		sleep: func(_ context.Context, d time.Duration) error {
			w.slept = append(w.slept, d)
			return nil
		},
	}
	t.Cleanup(func() {
		for name, text := range map[string]string{"the log": w.log.String(), "the summary": w.summary(t)} {
			if strings.Contains(text, fakegithub.Token) {
				t.Errorf("the token is in %s", name)
			}
		}
	})
	return w
}

// writeEvent writes the event of a pull request that comes from a repository.
func (w *world) writeEvent(t *testing.T, head string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"pull_request": map[string]any{
		"number": number,
		"base":   map[string]any{"ref": "main"},
		"head":   map[string]any{"sha": "0123abc", "repo": map[string]any{"full_name": head}},
	}})
	if err == nil {
		err = os.WriteFile(w.env["GITHUB_EVENT_PATH"], data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// summary returns the summary of the run; "" if there is none.
func (w *world) summary(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(w.env["GITHUB_STEP_SUMMARY"])
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// says checks that the log has a text.
func (w *world) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(w.log.String(), text) {
		t.Errorf("%q is not in the log:\n%s", text, w.log)
	}
}

// comments posts a text as the comment of the pull request.
func (w *world) comments(t *testing.T, text string, changed bool) error {
	t.Helper()
	e, err := w.event()
	if err != nil {
		t.Fatal(err)
	}
	return w.post(t.Context(), e, text, changed)
}

// ownComment returns the only comment of the action.
func (w *world) ownComment(t *testing.T) string {
	t.Helper()
	var own []string
	for _, c := range w.api.Comments() {
		if c.User.Login == fakegithub.Bot {
			own = append(own, c.Body)
		}
	}
	if len(own) != 1 {
		t.Fatalf("the action has %d comments: %q", len(own), own)
	}
	return own[0]
}
