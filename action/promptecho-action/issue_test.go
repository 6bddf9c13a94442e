package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
)

// A report has one open issue, which later reports update, and which is closed when the problem
// is solved.
func TestOneIssueIsKeptUpToDate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api.AddIssue(fakegithub.Issue{Title: "mine", Body: issueMarker, Labels: []fakegithub.Label{{Name: "live"}},
		User: fakegithub.User{Login: "mallory", Type: "User"}})
	file := filepath.Join(t.TempDir(), "report.md")
	report := func(text string, args ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"issue", "-label", "live", "-title", "live: providers answer otherwise"}, args...)
		if err := w.main(t.Context(), append(args, file)); err != nil {
			t.Fatal(err)
		}
	}
	state := func(want ...string) {
		t.Helper()
		var got []string
		for _, i := range w.api.Issues()[1:] {
			_, text, _ := strings.Cut(i.Body, ".\n\n")
			got = append(got, i.State+" "+text)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("the issues are %q, want %q", got, want)
		}
	}

	report("nothing", "-solved")
	state()
	w.api.Fail(fakegithub.Failure{Status: 502, Done: true})
	report("one")
	state("open one")
	report("two")
	state("open two")
	report("nothing", "-solved")
	state("closed nothing")
	report("three")
	state("closed nothing", "open three")
	if first := w.api.Issues()[0]; first.Body != issueMarker || first.State != "open" {
		t.Errorf("the issue of another account is %v", first)
	}
}

// A verb or a flag that is missing is named, with the usage.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"other"}, {"issue", "report.md"}} {
		err := newWorld(t).main(t.Context(), args)
		if err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
