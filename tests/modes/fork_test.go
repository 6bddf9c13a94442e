package modes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// modeFork is the record mode that "promptecho record -from" sets.
const modeFork = promptecho.Mode(recorder.ModeFork)

// answers returns the texts of a file in which the answers of recorded chats are.
func answers(t *testing.T, file string) (texts []string) {
	t.Helper()
	for _, it := range must.Load(t, file).Interactions {
		texts = append(texts, string(it.Response.Body))
	}
	return texts
}

// A fork replays the calls before a number, and records that call and all later ones into a file of
// its own.
func TestForkRecordsTheRestIntoAFileOfItsOwn(t *testing.T) {
	const one, two, three = `{"a":1}`, `{"a":2}`, `{"a":3}`
	requests := []must.Request{must.Chat(`,"n":1`), must.Chat(`,"n":2`), must.Chat(`,"n":3`)}
	for _, tt := range []struct {
		name   string
		first  int
		isHere bool
		failed bool     // the test
		own    []string // the answers in the cassette after the run
		other  string   // the suffix of the name of another file
		others []string // the answers in it
	}{
		{
			name: "from the second call", first: 2, own: []string{one, two, three},
			other: ".derived.yaml", others: []string{one, `{"b":1}`, `{"b":2}`},
		},
		{
			name: "from the first call", first: 1, own: []string{one, two, three},
			other: ".derived.yaml", others: []string{`{"b":1}`, `{"b":2}`, `{"b":3}`},
		},
		{name: "into the cassette", first: 3, isHere: true, own: []string{one, two, `{"b":1}`}},
		{
			name: "into the cassette of a test that fails", first: 2, isHere: true, failed: true,
			own: []string{one, two, three}, other: ".yaml.failed", others: []string{`{"b":1}`, `{"b":2}`},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := must.RecordAnswers(t, []string{one, two, three}, requests)
			t.Setenv(recorder.ForkVariable, recorder.ForkValue(file, tt.first, tt.isHere))
			r := must.Open(t, file, promptecho.InMode(modeFork),
				promptecho.Upstream(provider.InTurn(`{"b":1}`, `{"b":2}`, `{"b":3}`)))
			for _, req := range requests {
				req.Ask(t, r)
			}
			if rep := must.Finish(r, report.Outcome{Failed: tt.failed}); len(rep.Errors) > 0 {
				t.Errorf("%q", rep.Errors)
			}
			if got := answers(t, file); strings.Join(got, " ") != strings.Join(tt.own, " ") {
				t.Errorf("the cassette has %q, want %q", got, tt.own)
			}
			files, err := os.ReadDir(filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			if tt.other == "" {
				if len(files) != 1 {
					t.Errorf("files %v", files)
				}
				return
			}
			got := answers(t, strings.TrimSuffix(file, ".yaml")+tt.other)
			if strings.Join(got, " ") != strings.Join(tt.others, " ") {
				t.Errorf("%s has %q, want %q", tt.other, got, tt.others)
			}
		})
	}
}

// In a run that forks another cassette, a recorder replays and sends nothing.
func TestForkOfAnotherCassetteReplays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "one")
	t.Setenv(recorder.ForkVariable, recorder.ForkValue(file+".other", 1, false))
	r := must.Open(t, file, promptecho.InMode(modeFork))
	must.Ask(t, r, base, "one")
	must.WantMiss(t, r, base, "two")
	r.Close()
}

// A pinned cassette is forked into another file, and never written.
func TestPinnedCassetteIsNotForkedInPlace(t *testing.T) {
	file := must.RecordAnswers(t, []string{`{"a":1}`}, []must.Request{must.Chat("")})
	pinned := must.Load(t, file)
	pinned.Pinned = true
	file = must.Save(t, pinned)
	t.Setenv(recorder.ForkVariable, recorder.ForkValue(file, 1, true))
	_, err := promptecho.Open(file, promptecho.InMode(modeFork))
	if err == nil || !strings.Contains(err.Error(), "leave out -here") {
		t.Errorf("error %v", err)
	}
	t.Setenv(recorder.ForkVariable, "")
	_, err = promptecho.Open(file, promptecho.InMode(modeFork))
	if err == nil || !strings.Contains(err.Error(), "use promptecho record -from") {
		t.Errorf("error %v", err)
	}
}
