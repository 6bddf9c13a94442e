package report

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// The reports of whole runs are in testdata/reports of package promptecho. These tests
// hold the words and the log to what can be seen without a recorder.

// chat is a recording of a prompt at a line; its own request is the prompt.
type chat struct {
	line   int
	prompt string
	raced  bool
}

func (c *chat) Request() interaction.Request {
	return interaction.Request{
		Method: "POST", URL: "https://api.openai.com/v1/chat/completions",
		Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%q}]}`, c.prompt),
	}
}

func (c *chat) Line() int { return c.line }
func (c *chat) Form() *canon.Form {
	req := c.Request()
	return new(canon.Options).Form(&req)
}
func (c *chat) Concurrent() bool { return c.raced }

func newLog() *Log {
	return &Log{Run: Run{File: "c.yaml", Path: "/c.yaml", Mode: "none", ModeBy: "CI is set", Exists: true, CheckUnused: true, Options: new(canon.Options)}}
}

func miss(l *Log, prompt string, entries ...Entry) Miss {
	l.Reach()
	call := &chat{prompt: prompt}
	req := call.Request()
	return l.Miss(&Call{Request: &req, Form: call.Form()}, entries)
}

// A miss names the nearest recording, and once that is taken, another one.
func TestMissNamesTheNearestRecording(t *testing.T) {
	t.Parallel()
	l := newLog()
	entries := []Entry{
		{Recording: &chat{line: 4, prompt: "What is the capital of France?"}},
		{Recording: &chat{line: 14, prompt: "What is the capital of Franconia?"}},
		{Recording: &chat{line: 24, prompt: "Tell me a joke about cats."}},
	}
	first := miss(l, "What is the capital of Francs?", entries...)
	if first.Line != 4 || first.Reason != "the nearest recording differs in messages/0/content" || !strings.Contains(first.Diff, "France") {
		t.Errorf("%+v", first)
	}
	if !strings.HasPrefix(first.Caller, "report_test.go:") {
		t.Errorf("the caller is %q", first.Caller)
	}
	if second := miss(l, "What is the capital of Franks?", entries...); second.Line != 14 {
		t.Errorf("the recording at line 4 is taken, and the next miss names line %d", second.Line)
	}
	if again := miss(l, "What is the capital of Francs?", entries...); again.Count != 2 || again.Line != 4 || len(l.Misses()) != 2 {
		t.Errorf("%+v, %d misses", again, len(l.Misses()))
	}
	rep := l.Judge(&Outcome{}, Evidence{Entries: entries})
	if len(rep.Errors) != 1 || !strings.Contains(rep.Errors[0], "\n\nNot used either: c.yaml:24\n\n") || len(rep.Annotations) != 2 {
		t.Errorf("%q", rep)
	}
}

// What a caller got is his own: later misses do not change it.
func TestMissIsACopy(t *testing.T) {
	t.Parallel()
	l := newLog()
	first := miss(l, "a")
	l.Misses()[0].Reason = "changed"
	miss(l, "a")
	if first.Count != 1 || l.Misses()[0].Count != 2 || l.Misses()[0].Reason == "changed" {
		t.Errorf("%+v, %+v", first, l.Misses()[0])
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	used := Entry{Recording: &chat{line: 4, prompt: "hello"}, Used: true}
	tests := []struct {
		name  string
		entry Entry
		run   func(*Run)
		want  string // in the one error; "" for none
	}{
		{"unused", Entry{Recording: &chat{line: 9, prompt: "hallo"}}, nil, "c.yaml:4 was used, which differs in messages/0/content"},
		{"the same again", Entry{Recording: &chat{line: 9, prompt: "hello"}}, nil, "the same request is recorded 2 times and was asked once"},
		{"raced", Entry{Recording: &chat{line: 9, prompt: "hallo", raced: true}}, nil, "or give AllowRaced()."},
		{"raced, and allowed", Entry{Recording: &chat{line: 9, prompt: "hallo", raced: true}}, func(r *Run) { r.AllowRaced = true }, ""},
		{"excused", Entry{Recording: &chat{line: 9, prompt: "hallo"}, Excused: true}, nil, ""},
		{"allowed", Entry{Recording: &chat{line: 9, prompt: "hallo"}}, func(r *Run) { r.AllowUnused = true }, ""},
		{"of no interest", Entry{Recording: &chat{line: 9, prompt: "hallo"}}, func(r *Run) { r.CheckUnused = false }, ""},
	}
	for _, tt := range tests {
		l := newLog()
		if tt.run != nil {
			tt.run(&l.Run)
		}
		l.Reach()
		rep := l.Judge(&Outcome{}, Evidence{Entries: []Entry{used, tt.entry}})
		if got := strings.Join(rep.Errors, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A report shows ten annotations, as GitHub does, and names twenty findings.
func TestLongReportsAreCut(t *testing.T) {
	t.Parallel()
	l := newLog()
	l.Reach()
	var entries []Entry
	for i := range 30 {
		entries = append(entries, Entry{Recording: &chat{line: 10 * i, prompt: fmt.Sprint(i)}})
	}
	rep := l.Judge(&Outcome{}, Evidence{Entries: entries})
	if len(rep.Annotations) != 10 || len(rep.Errors) != 1 || strings.Count(rep.Errors[0], "c.yaml:") != 20 || !strings.Contains(rep.Errors[0], "… and 10 more") {
		t.Errorf("%d annotations, %q", len(rep.Annotations), rep.Errors)
	}
}

func TestContest(t *testing.T) {
	t.Parallel()
	host := canon.Trait{Path: "host"}
	tests := []struct {
		contest Contest
		want    string
	}{
		{Contest{Line: 4, Field: host, Got: 9}, `c.yaml:4: played for a request that differs in host; then this very request came, and got line 9. Record both again, or tell the two apart with promptecho.Match("host")`},
		{Contest{Line: 4, Field: host, Local: true}, "c.yaml:4: played for a request that differs in its local host; then this very request came, and got a new recording. Record both again"},
		{Contest{Line: 4, Late: 9}, "c.yaml:4: played after line 9, which was recorded later for the same request in another spelling. Record both again"},
	}
	for _, tt := range tests {
		l := newLog()
		rep := l.Judge(&Outcome{Command: func() string { return "go test" }}, Evidence{Contests: []Contest{tt.contest}})
		if want := tt.want + "\n\nTo record it again:\n  go test"; len(rep.Errors) != 1 || rep.Errors[0] != want {
			t.Errorf("%q, want %q", rep.Errors, want)
		}
	}
}

// Notes about recorded failures are for a run that fails: what it fails by may be one.
func TestReplayedFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		outcome Outcome
		keep    bool
		want    int
	}{
		{Outcome{}, false, 0},
		{Outcome{Failed: true}, false, 1},
		{Outcome{Failed: true}, true, 1},
		{Outcome{Unsure: true}, false, 1},
		{Outcome{Unsure: true}, true, 0},
	}
	for _, tt := range tests {
		l := newLog()
		l.KeepFailures = tt.keep
		l.Reach()
		l.Replayed(4, &interaction.Response{Status: 401})
		rep := l.Judge(&tt.outcome, Evidence{})
		if len(rep.Notes) != tt.want || tt.want == 1 && rep.Notes[0] != "nothing was sent: this is a recording, c.yaml:4: status 401" {
			t.Errorf("%+v: %q", tt, rep.Notes)
		}
		if l.Quiet() {
			t.Error("a recorded failure was played, and the log is quiet")
		}
	}
}

// The same failure is told once, with how often it happened.
func TestFailedCalls(t *testing.T) {
	t.Parallel()
	l := newLog()
	for range 3 {
		l.Unanswered("POST http://h/: EOF", "form")
	}
	l.Unanswered("POST http://h/: refused", "form")
	if calls := l.FailedCalls(); len(calls) != 2 || calls[0].String() != "POST http://h/: EOF (3 times)" || calls[1].String() != "POST http://h/: refused" {
		t.Errorf("%q", calls)
	}
}

// A log is used by all requests at once, and judged while the last ones still come.
func TestLogIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	l := newLog()
	entries := []Entry{{Recording: &chat{line: 4, prompt: "hello"}}}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			miss(l, fmt.Sprint("hello ", i%2), entries...)
			l.Notef("note %d", i)
			l.Unanswered("text", "form")
			l.Replayed(4, &interaction.Response{Status: 500})
			l.Drift(entries[0].Recording, entries[0].Form())
			l.Judge(&Outcome{Failed: true}, Evidence{Entries: entries})
		})
	}
	wg.Wait()
	if misses := l.Misses(); len(misses) != 2 || misses[0].Count+misses[1].Count != 8 {
		t.Errorf("%v", misses)
	}
}

// What other people wrote cannot write to a terminal or give a CI system commands.
func TestReportsArePrintable(t *testing.T) {
	t.Parallel()
	l := newLog()
	l.Notef("a\x1b[2J")
	l.Error(fmt.Errorf("promptecho: \n::error::pwned"))
	if rep := l.Judge(&Outcome{}, Evidence{}); rep.Notes[0] != `a\x1b[2J` || rep.Errors[0] != "\n\\::error::pwned" {
		t.Errorf("%q", rep)
	}
}

// A hint is given only if it makes the request match.
func TestHint(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long prompt ", 1000)
	tests := []struct{ recorded, incoming, want string }{
		{"on 2026-01-02", "on 2026-01-03", "promptecho.Mask(`\\d{4}-\\d\\d-\\d\\d`, \"DATE\")"},
		{"on 2026-01-02", "off 2026-01-03", ""},
		{long + "at 10:30 " + long, long + "at 9:15 " + long, "promptecho.Mask(`\\b\\d\\d?:\\d\\d(:\\d\\d)?\\b`, \"TIME\")"},
		{"one word", "another word", ""},
		{"Read /tmp/TestX111/001/a.go", "Read /tmp/TestX222/001/a.go", "promptecho.Mask(`/tmp/[^/\\s\"']+(/\\d{3})?`, \"TMP\")"},
		{"Read /tmp/TestX111/001/a.go", "Read /tmp/TestX222/001/b.go", ""},
	}
	for _, tt := range tests {
		m := miss(newLog(), tt.incoming, Entry{Recording: &chat{line: 4, prompt: tt.recorded}})
		if m.Hint != tt.want {
			t.Errorf("%.30q and %.30q: %s, want %s", tt.recorded, tt.incoming, m.Hint, tt.want)
		}
	}
}

// What the stack tells in cleanups, where testing.T does not know yet.
func TestStack(t *testing.T) {
	t.Parallel()
	if Panicking() || Exiting() || !InTest() {
		t.Errorf("in a test: panicking %v, exiting %v, in a test %v", Panicking(), Exiting(), InTest())
	}
	func() {
		defer func() { recover() }()
		defer func() {
			if !Panicking() || Exiting() {
				t.Error("a panic is not seen")
			}
		}()
		panic("made up")
	}()
	done := make(chan bool)
	go func() {
		defer func() { done <- Exiting() && !Panicking() && !InTest() }()
		runtime.Goexit()
	}()
	if !<-done {
		t.Error("runtime.Goexit in another goroutine is not seen")
	}
}
