package reports_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A variable or flag of promptecho that changes nothing is noted. It is overruled, set twice or unknown.
func TestVariableOrFlagWithoutEffectIsNoted(t *testing.T) {
	// Not parallel: it sets the environment and the flags.
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("1")))
	must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
	must.Pass(t, r)

	t.Setenv("PROMPTECHO_MODE", "all")
	t.Setenv("PROMPTECHO_MODES", "all")
	t.Setenv("PROMPTECHO_STORE_CACHE", "off")              // promptecho-store reads it
	t.Setenv("PROMPTECHO_SECRET", "0123456789abcdef")      // promptecho serve reads it
	t.Setenv("PROMPTECHO_URL", "http://127.0.0.1:1/serve") // promptecho serve sets it for what it runs
	args := os.Args
	t.Cleanup(func() { os.Args = args })
	os.Args = slices.Concat(args, []string{
		"-echo.mode=once", "--echo.mode", "none", "-echo.record=false", "x", "-echo.update",
	})
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
	notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")
	for _, want := range []string{
		"PROMPTECHO_MODE=all has no effect: mode none (InMode in the code) is in effect for " + file,
		"PROMPTECHO_MODES has no effect: promptecho reads no such environment variable",
		"-echo.mode=once has no effect: it is set twice, and the last one counts",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if n := strings.Count(notes, "no such environment variable"); n != 1 {
		t.Errorf("%d variables are noted as unknown, want PROMPTECHO_MODES only:\n%s", n, notes)
	}
	if n := strings.Count(notes, "set twice"); n != 1 {
		t.Errorf("%d flags are noted as set twice, want -echo.mode only:\n%s", n, notes)
	}
}

// A recorder without Log prints an option that has no effect on standard error.
func TestOptionWithoutEffectIsPrintedOnStandardError(t *testing.T) {
	// Not parallel: it replaces standard error.
	stderr := os.Stderr
	t.Cleanup(func() { os.Stderr = stderr })
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	os.Stderr = out
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("1")), promptecho.Ignore("mesages"))
	must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if text := must.Read(t, out.Name()); !strings.Contains(text, `Ignore("mesages") has no effect`) {
		t.Errorf("standard error has %q", text)
	}
}
