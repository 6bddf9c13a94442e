package time_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Env writes no credential into a file; the run that asks for one gets it, and fails.
func TestEnvWritesNoCredential(t *testing.T) {
	// Not parallel: it sets the environment.
	variables := []struct{ name, value, err string }{
		{
			name:  "PROMPTECHO_TEST_API_KEY",
			value: "echo-secret-0123456789abcdef",
			err: `: the value of rec.Env("PROMPTECHO_TEST_API_KEY") is not put into the cassette: ` +
				`its name is that of a credential. For a credential use rec.Secret("PROMPTECHO_TEST_API_KEY")`,
		},
		{
			name:  "PROMPTECHO_TEST_THING",
			value: "Zk93hQ7xPw2LmN8v",
			err: `rec.Env("PROMPTECHO_TEST_THING") is not put into the cassette: ` +
				"its value looks like a credential",
		},
		{
			name:  "PROMPTECHO_TEST_URL",
			value: "https://u:Zk93hQ7xPw2@example.com",
			err: `rec.Env("PROMPTECHO_TEST_URL") is not put into the cassette: ` +
				"its value looks like a credential (a user name or password before the host)",
		},
	}
	for _, v := range variables {
		t.Setenv(v.name, v.value)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeAll, promptecho.ModeNone} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			if mode != promptecho.ModeOnce {
				must.Record(t, file, "a", "b")
			}
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
			must.Ask(t, r, "http://h", "a")
			for _, v := range variables {
				for range 2 {
					if got := r.Env(v.name); got != v.value {
						t.Errorf("%s: %q, want %q", v.name, got, v.value)
					}
				}
			}
			must.Ask(t, r, "http://h", "b")
			if mode != promptecho.ModeNone {
				wantNoVariables(t, file+must.JournalSuffix)
			}

			errs := must.Finish(r, report.Outcome{}).Errors
			all := strings.Join(errs, "\n")
			if len(errs) != len(variables) || !strings.Contains(all, file+variables[0].err) {
				t.Errorf("errors %q", errs)
			}
			for _, v := range variables {
				if !strings.Contains(all, v.err) {
					t.Errorf("%q lacks %q", all, v.err)
				}
				if strings.Contains(all, v.value) || strings.Contains(all, "Zk93") {
					t.Errorf("a credential is shown: %q", errs)
				}
			}
			if mode != promptecho.ModeOnce {
				wantNoVariables(t, file)
			}
			_, err := os.Stat(file + must.FailedSuffix)
			if wasFailed := err == nil; wasFailed != (mode == promptecho.ModeAll) {
				t.Errorf("there is a file of a failed run: %v", wasFailed)
			}
			if err == nil {
				wantNoVariables(t, file+must.FailedSuffix)
			}
		})
	}
}

// wantNoVariables fails if there are environment variables in a cassette or journal.
func wantNoVariables(t *testing.T, file string) {
	t.Helper()
	if text := must.Read(t, file); strings.Contains(text, "env:") {
		t.Errorf("%s:\n%s", file, text)
	}
}

// In mode live, which writes no cassette, Env returns a credential and the run passes.
func TestEnvMayReturnACredentialInModeLive(t *testing.T) {
	// Not parallel: it sets the environment.
	t.Setenv("PROMPTECHO_TEST_API_KEY", "echo-secret-0123456789abcdef")
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeLive),
		promptecho.Upstream(provider.Says(`{}`)))
	if got := r.Env("PROMPTECHO_TEST_API_KEY"); got != "echo-secret-0123456789abcdef" {
		t.Errorf("%q", got)
	}
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
}

// A variable whose value becomes a known secret later is removed from the journal and not saved.
func TestEnvThatBecomesASecretIsRemoved(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable, value = "PROMPTECHO_TEST_WORDS", "quite harmless words"
	t.Setenv(variable, value)
	file := filepath.Join(t.TempDir(), "c.yaml")
	journal := file + must.JournalSuffix
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "a")
	must.Values(r, "env:"+variable+" env:"+must.TestVariable)
	if text := must.Read(t, journal); !strings.Contains(text, value) {
		t.Errorf("the journal:\n%s", text)
	}

	r.Secret(variable)
	must.Ask(t, r, "http://h", "b")
	text := must.Read(t, journal)
	if strings.Contains(text, value) {
		t.Errorf("the secret is in the journal:\n%s", text)
	}
	if !strings.Contains(text, "model-b") || strings.Count(text, "- kind: ") != 2 {
		t.Errorf("the journal lost something else:\n%s", text)
	}
	err := r.Close()
	const want = `rec.Env("PROMPTECHO_TEST_WORDS") is not put into the cassette: its value holds a known secret (plain)`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	text = must.Read(t, file)
	if strings.Contains(text, value) || !strings.Contains(text, "env: {"+must.TestVariable+": model-b}") {
		t.Errorf("%s", text)
	}
}

// A credential that an edit put into a cassette's variables is noted, and is not written again.
func TestCredentialInEditedVariablesIsNoted(t *testing.T) {
	t.Parallel()
	const variable, value = "PROMPTECHO_TEST_OTHER", "Zk93hQ7xPw2LmN8v"
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	must.SetTop(t, file, "env: {"+variable+": "+value+"}\n")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := r.Env(variable); got != value {
		t.Errorf("%q", got)
	}
	must.Ask(t, r, "http://h", "a")
	rep := must.Finish(r, report.Outcome{})
	wantNote := file + ": env " + variable + ": looks like a secret; promptecho verify lists all such values"
	if len(rep.Errors) > 0 || strings.Join(rep.Notes, "\n") != wantNote {
		t.Errorf("%+v", rep)
	}

	before := must.Read(t, file)
	r = must.Open(t, file,
		promptecho.InMode(promptecho.ModeNewEpisodes),
		promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "b")
	err := r.Close()
	wantErr := file + ": env " + variable + ": its value looks like a credential"
	if err == nil || !strings.Contains(err.Error(), wantErr) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%v", err)
	}
	if must.Read(t, file) != before || strings.Contains(must.Read(t, file+must.JournalSuffix), value) {
		t.Error("it was written")
	}
}

// A variable that has another value than recorded is noted once, and returns the recorded one.
func TestChangedVariableIsNoted(t *testing.T) {
	// Not parallel: it sets the environment.
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	must.SetTop(t, file, envLine) // model-a
	long := strings.Repeat("very ", 1000)
	for _, tt := range []struct {
		name    string
		value   string
		isUnset bool
		note    string // after the name of the variable; "" for no note
	}{
		{name: "the recorded value", value: "model-a"},
		{name: "unset", isUnset: true},
		{name: "another value", value: "model-b", note: `"model-b" here and was "model-a"`},
		{name: "an empty value", value: "", note: `"" here and was "model-a"`},
		{
			name:  "a value that may be a credential",
			value: "Zk93hQ7xPw2LmN8v",
			note:  `a hidden value (it may be a credential) here and was "model-a"`,
		},
		{name: "a long value", value: long, note: fmt.Sprintf("%.100q here", long)},
		{name: "a command for a CI system", value: "a\n::error::b", note: `"a\n::error::b" here`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(must.TestVariable, tt.value)
			if tt.isUnset {
				os.Unsetenv(must.TestVariable)
			}
			for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeNewEpisodes} {
				r := must.Open(t, file, promptecho.InMode(mode))
				for range 2 {
					if got := r.Env(must.TestVariable); got != "model-a" {
						t.Errorf("%q", got)
					}
				}
				must.Ask(t, r, "http://h", "a")
				rep := must.Finish(r, report.Outcome{})
				if len(rep.Errors) > 0 {
					t.Errorf("mode %s: %q", mode, rep.Errors)
				}
				switch {
				case tt.note == "" && len(rep.Notes) > 0:
					t.Errorf("mode %s: %q", mode, rep.Notes)
				case tt.note != "" && len(rep.Notes) != 1,
					tt.note != "" && !strings.Contains(rep.Notes[0], must.TestVariable+" is "+tt.note):
					t.Errorf("mode %s: %q, want one with %q", mode, rep.Notes, tt.note)
				}
			}
		})
	}
}
