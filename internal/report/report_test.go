package report

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// The reports of whole runs are in tests/reports/testdata. These tests
// hold the words and the log to what can be seen without a recorder.

// A chat is a recorded request.
type chat struct {
	prompt string
	raced  bool   // it was recorded while another was open
	end    string // of its answer
}

// newLog returns the log of a run that replays a cassette of chats, with its recordings.
func newLog(t *testing.T, chats ...chat) (*Log, []*tape.Recording) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var f cassette.File
	for _, c := range chats {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind: "llm", Boundary: "openai.chat", Request: request(c.prompt), Concurrent: raced(c.raced),
			Response: interaction.Response{Status: 200, Body: []byte(fmt.Sprintf("%q", c.prompt)), End: c.end},
		})
		if c.end != "" {
			f.Interactions[len(f.Interactions)-1].Response = interaction.Response{End: c.end, Error: context.Canceled.Error()}
		}
	}
	if err := rewrite.Save(file, &f); err != nil {
		t.Fatal(err)
	}
	tp := tape.New(tape.Config{Path: file, Name: "c.yaml", Options: new(canon.Options), Plain: true}, new(redact.Policy))
	if err := errors.Join(tp.Open(false), tp.Load(tape.PlayAll, false)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tp.Free)
	return &Log{Run: Run{Tape: tp, File: "c.yaml", Path: "/c.yaml", Mode: "none", ModeBy: "CI is set", CheckUnused: true, Words: advice.InGo}}, tp.Recordings()
}

func request(prompt string) interaction.Request {
	return interaction.Request{
		Method: "POST", URL: "https://api.openai.com/v1/chat/completions",
		Body: fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%q}]}`, prompt),
	}
}

// ask takes the recording of a prompt, or has the log explain why there is none.
func ask(l *Log, prompt string) (m Miss) {
	l.Reached.Store(true)
	match, err := l.Tape.Take(tape.Call{Request: request(prompt), Cancelable: true})
	if err != nil || match.Recording == nil {
		return l.Miss(&match, "").Miss
	}
	return Miss{}
}

// A miss names the nearest recording, and once that is taken, another one.
func TestMissNamesTheNearestRecording(t *testing.T) {
	t.Parallel()
	l, recs := newLog(t,
		chat{prompt: "What is the capital of France?"},
		chat{prompt: "What is the capital of Franconia?"},
		chat{prompt: "Tell me a joke about cats."},
	)
	first := ask(l, "What is the capital of Francs?")
	if first.Line != recs[0].Line() || first.Line == 0 || first.Reason != "the nearest recording differs in messages/0/content" || !strings.Contains(first.Diff, "France") {
		t.Errorf("%+v", first)
	}
	if !strings.HasPrefix(first.Caller, "report_test.go:") {
		t.Errorf("the caller is %q", first.Caller)
	}
	if second := ask(l, "What is the capital of Franks?"); second.Line != recs[1].Line() {
		t.Errorf("the recording at line %d is taken, and the next miss names line %d", first.Line, second.Line)
	}
	if again := ask(l, "What is the capital of Francs?"); again.Count != 2 || again.Line != first.Line || len(l.Misses()) != 2 {
		t.Errorf("%+v, %d misses", again, len(l.Misses()))
	}
	rep := l.Judge(&Outcome{})
	want := fmt.Sprintf("\n\nNot used by any request: c.yaml:%d\n\n", recs[2].Line())
	if len(rep.Errors) != 1 || !strings.Contains(rep.Errors[0], want) || len(rep.Annotations) != 2 {
		t.Errorf("%q", rep.Errors)
	}
}

// What a caller got is his own: later misses do not change it.
func TestMissIsACopy(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	first := ask(l, "a")
	l.Misses()[0].Reason = "changed"
	ask(l, "a")
	if first.Count != 1 || l.Misses()[0].Count != 2 || l.Misses()[0].Reason == "changed" {
		t.Errorf("%+v, %+v", first, l.Misses()[0])
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		recorded chat // beside "hello", which is asked
		run      func(*Run)
		want     string // in the one error; "" for none
	}{
		{"unused", chat{prompt: "hallo"}, nil, "the most similar recording that was used, c.yaml:4, differs in messages/0/content"},
		{"the same again", chat{prompt: "hello"}, nil, "the same request is recorded 2 times and was sent once"},
		{"raced", chat{prompt: "hallo", raced: true}, nil, "or add AllowRaced()."},
		{"raced, and allowed", chat{prompt: "hallo", raced: true}, func(r *Run) { r.AllowRaced = true }, ""},
		{"canceled", chat{prompt: "hallo", end: interaction.EndCanceled}, nil, ""},
		{"allowed", chat{prompt: "hallo"}, func(r *Run) { r.AllowUnused = canon.Selectors{"*"} }, ""},
		{"of no interest", chat{prompt: "hallo"}, func(r *Run) { r.CheckUnused = false }, ""},
	}
	for _, tt := range tests {
		l, _ := newLog(t, chat{prompt: "hello"}, tt.recorded)
		if tt.run != nil {
			tt.run(&l.Run)
		}
		ask(l, "hello")
		rep := l.Judge(&Outcome{})
		if got := strings.Join(rep.Errors, "\n"); tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A report shows ten annotations, as GitHub does, and names twenty findings.
func TestLongReportsAreCut(t *testing.T) {
	t.Parallel()
	var chats []chat
	for i := range 30 {
		chats = append(chats, chat{prompt: fmt.Sprint(i)})
	}
	l, _ := newLog(t, chats...)
	l.Reached.Store(true)
	rep := l.Judge(&Outcome{})
	if len(rep.Annotations) != 10 || len(rep.Errors) != 1 || strings.Count(rep.Errors[0], "c.yaml:") != 20 || !strings.Contains(rep.Errors[0], "… and 10 more") {
		t.Errorf("%d annotations, %q", len(rep.Annotations), rep.Errors)
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	host := canon.Trait{Path: "host"}
	l, recs := newLog(t, chat{prompt: "a"}, chat{prompt: "b"})
	lent, other := recs[0], recs[1]
	tests := []struct {
		conflict tape.Conflict
		want     string
	}{
		{tape.Conflict{Recording: lent, Field: host, Instead: other}, fmt.Sprintf(`this recording answered another request, which differs in host. The request that it was recorded for came later, and got the recording at line %d instead. Record both requests again, or tell them apart with promptecho.Match("host")`, other.Line())},
		{tape.Conflict{Recording: lent, PlayedFirst: other}, fmt.Sprintf("this recording and the one at line %d are of the same request, spelled in two ways (with the keys in another order, say), so a request in either spelling matches both recordings. This one was recorded first, but played second, because a request first gets the recordings in its own spelling. So each of the two requests may have got the answer to the other. Record both requests again", other.Line())},
	}
	for _, tt := range tests {
		if got := l.conflict(&tt.conflict); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	lent.Form().Local = true
	fresh, err := l.Tape.Reserve(tape.Match{Form: lent.Form()})
	if err != nil {
		t.Fatal(err)
	}
	local := l.conflict(&tape.Conflict{Recording: lent, Field: host, Instead: fresh})
	if want := "this recording answered another request, which differs in the address of a local server. The request that it was recorded for came later, and got a new recording instead. Record both requests again"; local != want {
		t.Errorf("%q, want %q", local, want)
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
		l, _ := newLog(t)
		l.KeepFailures = tt.keep
		l.Reached.Store(true)
		l.Replayed(4, &interaction.Response{Status: 401})
		rep := l.Judge(&tt.outcome)
		if len(rep.Notes) != tt.want || tt.want == 1 && rep.Notes[0] != "nothing was sent: this failure was replayed from c.yaml:4: status 401" {
			t.Errorf("%+v: %q", tt, rep.Notes)
		}
	}
}

// The same failure is told once, with how often it happened.
func TestFailedCalls(t *testing.T) {
	t.Parallel()
	l, _ := newLog(t)
	for range 3 {
		l.Unanswered("POST http://h/: EOF", "form")
	}
	l.Unanswered("POST http://h/: refused", "form")
	if calls := l.FailedCalls(); len(calls) != 2 || calls[0].Text != "POST http://h/: EOF (3 times)" || calls[1].Text != "POST http://h/: refused" {
		t.Errorf("%q", calls)
	}
}

// A log is used by all requests at once, and judged while the last ones still come.
func TestLogIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	l, recs := newLog(t, chat{prompt: "hello"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ask(l, fmt.Sprint("hello ", i%2))
			l.Notef(finding.Saved, "note %d", i)
			l.Unanswered("text", "form")
			l.Replayed(4, &interaction.Response{Status: 500})
			l.Drift(recs[0], recs[0].Form())
			l.Judge(&Outcome{Failed: true})
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
	l, _ := newLog(t)
	l.Notef(finding.Saved, "a\x1b[2J")
	l.Error(errors.New("\n::error::pwned"))
	if rep := l.Judge(&Outcome{}); rep.Notes[0] != `a\x1b[2J` || rep.Errors[0] != "\n\\::error::pwned" {
		t.Errorf("%q", rep.Errors)
	}
}

// A hint is given only if it makes the request match.
func TestHint(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long prompt ", 1000)
	tests := []struct{ recorded, incoming, want string }{
		{"on 2026-01-02", "on 2026-01-03", "promptecho.MaskTimes()"},
		{"on 2026-01-02", "off 2026-01-03", ""},
		{long + "at 10:30 " + long, long + "at 9:15 " + long, "promptecho.MaskTimes()"},
		{strings.Repeat(long, 10) + "at 10:30", strings.Repeat(long, 10) + "at 9:15", ""}, // it would take too long
		{"one word", "another word", ""},
		{"Read /tmp/TestX111/001/a.go", "Read /tmp/TestX222/001/a.go", "promptecho.MaskTempDirs()"},
		{"Read /tmp/TestX111/001/a.go", "Read /tmp/TestX222/001/b.go", ""},
	}
	for _, tt := range tests {
		l, _ := newLog(t, chat{prompt: tt.recorded})
		m := ask(l, tt.incoming)
		if m.Hint != tt.want {
			t.Errorf("%.30q and %.30q: %s, want %s", tt.recorded, tt.incoming, m.Hint, tt.want)
		}
	}
}

// Whether a cassette was committed is asked only where that can be the reason.
func TestAbsentCassette(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]bool{"CI is set": true, "-echo.mode": false} {
		tp := tape.New(tape.Config{Path: filepath.Join(t.TempDir(), "c.yaml"), Name: "c.yaml", Options: new(canon.Options), Plain: true}, new(redact.Policy))
		if err := errors.Join(tp.Open(false), tp.Load(tape.PlayAll, false)); err != nil {
			t.Fatal(err)
		}
		l := &Log{Run: Run{Tape: tp, File: "c.yaml", Mode: "none", ModeBy: by, InCI: want, Words: advice.InGo}}
		if m := ask(l, "hello"); strings.HasSuffix(m.Reason, "was it committed?") != want {
			t.Errorf("%s: %s", by, m.Reason)
		}
		tp.Free()
	}
}

// raced returns the moments of a recording that had company, or nil.
func raced(is bool) *interaction.Moments {
	if is {
		return new(interaction.Moments)
	}
	return nil
}
