package modes_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A nil recorder is the real thing: real requests, time, randomness, variables and functions.
func TestNilRecorderIsTheRealThing(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable = "PROMPTECHO_TEST_THING"
	t.Setenv(variable, "thing")
	var r *promptecho.Recorder
	if got := r.Secret(variable); got != "thing" {
		t.Errorf("Secret returns %q", got)
	}
	if got := r.Env(variable); got != "thing" {
		t.Errorf("Env returns %q", got)
	}
	if r.Now().IsZero() || r.Rand("x") == nil {
		t.Error("there is no time, or no randomness")
	}
	if !r.Online() || r.Misses() != nil || r.Close() != nil {
		t.Error("it is offline, has misses, or cannot be closed")
	}
	addOne := promptecho.Wrap(r, "tool/x", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	if out, err := addOne(t.Context(), 1); out != 2 || err != nil {
		t.Errorf("a wrapped function returns %d, %v", out, err)
	}
	r.Client().CloseIdleConnections()
	if _, err := r.Client().Get("http://127.0.0.1:0/"); err == nil || strings.Contains(err.Error(), "promptecho") {
		t.Errorf("a request to a closed port: %v", err)
	}
}

// A nil option has no effect and is no error.
func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, nil, promptecho.InMode(promptecho.ModeNone), nil, promptecho.AllowUnused())
	must.Pass(t, r)
}
