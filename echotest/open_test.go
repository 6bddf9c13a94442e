package echotest

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofault"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/report"
)

// A test can have a second cassette, and one with a name of its own, with its verdict.
func TestOpen(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	const judge = "testdata/cassettes/judge.yaml"
	run := func(texts ...string) *fakeTB {
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) {
			ask(t, New(tb), p.URL, "agent")
			second := Open(tb, judge)
			for _, text := range texts {
				ask(t, second, p.URL, text)
			}
		})
		return tb
	}
	if tb := run("one", "two"); len(tb.errors) > 0 {
		t.Fatal(tb.errors)
	}
	for _, file := range []string{judge, "testdata/cassettes/TestX.yaml"} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	if tb := run("one", "two"); len(tb.errors) > 0 {
		t.Error(tb.errors)
	}
	if tb := run("one"); len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "1 of 2 recordings not used") || !strings.Contains(tb.errors[0], "judge.yaml:") {
		t.Errorf("the verdict of the second cassette: %q", tb.errors)
	}
	t.Chdir(t.TempDir())
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		rec := Open(tb, judge)
		ask(t, rec, p.URL, "one")
		ask(t, rec, p.URL, "two")
	})
	if len(tb.errors) > 0 || !slices.Contains(tb.attrs, "promptecho.cassette="+filepath.Join(folder, judge)) {
		t.Errorf("elsewhere: %q, %q", tb.errors, tb.attrs)
	}
}

// An option without an effect is said once, and not if another test needs it.
func TestSayIdle(t *testing.T) {
	inDir(t)
	handledOptions.Clear() // so that it can run twice in one process
	said := func(options ...report.Option) string {
		var b strings.Builder
		writeWithoutEffect(&b, "TestX: ", options)
		return b.String()
	}
	slip, fine := report.Option{Code: `Ignore("TestSayIdle")`, Why: "nothing has it"}, report.Option{Code: `Ignore("TestSayIdle2")`}
	if got, want := said(slip, fine), "promptecho: TestX: Ignore(\"TestSayIdle\") has no effect: nothing has it\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := said(slip, report.Option{Code: fine.Code, Why: "nothing has it here"}); got != "" {
		t.Errorf("said again: %q", got)
	}
	// For the package as a whole, the order of tests does not matter.
	s := newSuite()
	late := report.Option{Code: `Ignore("TestSayIdle3")`, Why: "nothing has it here"}
	s.add("TestA", &report.Report{Options: []report.Option{late, {Code: `Mask("TestSayIdle4")`, Why: "nowhere"}}})
	s.add("TestB", &report.Report{Options: []report.Option{{Code: late.Code}}})
	var b strings.Builder
	s.conclude(&b, 0, nil)
	if got := b.String(); !testing.Verbose() && (strings.Contains(got, "TestSayIdle3") || !strings.Contains(got, `promptecho: Mask("TestSayIdle4") has no effect: nowhere`)) {
		t.Errorf("the package: %s", got)
	}
}

// What a process asks meets faults on its way to the recorder.
func TestServeThrough(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		rec := New(tb, promptecho.Alias(p.URL, "provider"))
		server := Serve(tb, rec, nil, Through(echofault.New(t, rec, echofault.FailFirst(1, 429))))
		for _, want := range []int{429, 200} {
			resp, err := http.Get(server.URL(p.URL) + "/v1/models")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want && want == 429 {
				t.Errorf("status %d, want %d", resp.StatusCode, want)
			}
		}
	})
	tb = &fakeTB{TB: t, name: "TestY"}
	tb.run(func(tb testing.TB) { Serve(tb, New(tb, promptecho.AllowUnused()), Through(nil)) })
	if !strings.Contains(tb.fatal, "Through(nil)") {
		t.Errorf("fatal %q", tb.fatal)
	}
	before := http.DefaultTransport
	SetDefault(t, nil)
	if http.DefaultTransport != before {
		t.Error("no recorder is the default transport")
	}
}
