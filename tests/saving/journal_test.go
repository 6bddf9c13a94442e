package saving_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A journal that cannot be read is refused, and stays as it is.
func TestBrokenJournalIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	const broken = "version: 1\ninteractions:\n  - kind: [\n  - kind: http\n  - x"
	must.Write(t, file+must.JournalSuffix, broken)

	_, err := promptecho.Open(file)
	wantError(t, "Open", err, file+".partial, which an earlier recording has left, cannot be read")
	wantError(t, "Open", err, "delete it")
	if must.Read(t, file+must.JournalSuffix) != broken {
		t.Error("the journal was changed")
	}

	// A refused cassette does not stay open.
	_, err = promptecho.Open(file)
	if err == nil || strings.Contains(err.Error(), "already open") {
		t.Errorf("a second time: %v", err)
	}
}

// A process that is killed while it creates its journal leaves nothing in the way of the next run.
func TestTornJournalIsNotInTheWay(t *testing.T) {
	t.Parallel()
	const head = "# promptecho cassette: credentials are replaced, everything else is as it was sent. " +
		"https://github.com/promptecho/promptecho/blob/main/docs/CASSETTE.md\n" +
		"version: 1\npartial: true\ninteractions:\n"
	for name, torn := range map[string]string{
		"empty":                  "",
		"torn in the comment":    "# promptecho",
		"torn in the link":       head[:40],
		"nothing but the head":   head,
		"torn in the first seal": head + "\n# entry 00000",
		"torn in the first recording": head + "\n# entry 0123456789abcdef 0123456789abcdef 12345678 " +
			"60 1\n  - kind: http\n    request:\n      met",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			must.Write(t, file+must.JournalSuffix, torn)
			rec := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
			must.Ask(t, rec, server, "a")
			must.Close(t, rec)
			if got := must.Prompts(t, file); got != "a" {
				t.Errorf("the cassette has %q", got)
			}
		})
	}
}

// Whatever a killed process has left, the next run asks for what is missing, and only its cassette
// remains.
//
// The process had recorded the answers to a and b over a cassette with the prompt "old". Its files
// are those before and after each step of the save, and the journal is whole or damaged.
func TestNextRunCleansUpAfterAKilledOne(t *testing.T) {
	t.Parallel()
	upstream := provider.New(t)
	left := recordOverOld(t, upstream)
	modes := []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll}
	for cassetteIs, cassette := range map[string]string{"missing": "", "old": left.old, "saved": left.saved} {
		for journalIs, journal := range left.journals() {
			for _, mode := range modes {
				name := fmt.Sprintf("mode %s, cassette %s, journal %s", mode, cassetteIs, journalIs)
				t.Run(name, func(t *testing.T) {
					file := newCassette(t)
					if cassetteIs != "missing" {
						must.Write(t, file, cassette)
					}
					if journalIs != "missing" {
						must.Write(t, file+must.JournalSuffix, journal.text)
					}
					leaveHalfWritten(t, file, left.saved[:100])
					leaveHalfWritten(t, file+must.JournalSuffix, left.saved[:100])
					filesBefore, askedBefore := textsNextTo(t, file), upstream.Count()

					rec := must.Open(t, file, promptecho.InMode(mode), promptecho.AllowUnused())
					isRecording := rec.Online()
					for _, prompt := range []string{"a", "b"} {
						status, body := must.Ask(t, rec, upstream.URL, prompt)
						isMiss := !isRecording && status == 418
						if !isMiss && (status != 200 || !strings.Contains(body, prompt)) {
							t.Errorf("%s is answered by %d %s", prompt, status, body)
						}
					}
					rep := must.Finish(rec, report.Outcome{})
					sent := upstream.Count() - askedBefore

					if !isRecording {
						if !maps.Equal(textsNextTo(t, file), filesBefore) {
							t.Errorf("a replay has changed a file: %q", filesNextTo(t, file))
						}
						return
					}
					want := 2 - journal.answers
					if cassetteIs == "saved" { // and then the journal is not replayed
						want = 0
						if mode == promptecho.ModeAll {
							want = 2
						}
					}
					if sent != want || len(rep.Errors) > 0 {
						t.Errorf("%d requests were sent, want %d; %v", sent, want, rep.Errors)
					}
					wantOnlyCassette(t, file)
					possible := []string{"a b", "b a", "old a b", "old b a"}
					if got := must.Prompts(t, file); !slices.Contains(possible, got) {
						t.Errorf("the cassette has %q", got)
					}
				})
			}
		}
	}
}

// leftovers are files of a run that recorded the answers to a and b over a cassette.
type leftovers struct {
	old, saved string // the cassette before and after
	journal    string // with both answers
	firstEnd   int    // where the first answer ends in the journal
}

func recordOverOld(t *testing.T, upstream *provider.Server) (left leftovers) {
	t.Helper()
	file := newCassette(t)
	must.Record(t, file, "old")
	left.old = must.Read(t, file)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, rec, upstream.URL, "a")
	left.firstEnd = len(must.Read(t, file+must.JournalSuffix))
	must.Ask(t, rec, upstream.URL, "b")
	left.journal = must.Read(t, file+must.JournalSuffix)
	must.Pass(t, rec)
	left.saved = must.Read(t, file)
	return left
}

// A journal of a killed process, and how many answers can be read from it.
type journal struct {
	text    string
	answers int
}

// journals returns the journal as a killed process, or a crash of the machine, can leave it.
func (left *leftovers) journals() map[string]journal {
	text, first := left.journal, left.firstEnd
	end := len(text)
	journals := map[string]journal{
		"missing":                  {text: "", answers: 0},
		"empty":                    {text: "", answers: 0},
		"whole":                    {text: text, answers: 2},
		"with a hole in the first": {text: text[:first-30] + text[first-20:], answers: 1},
		"with NULs in the first":   {text: text[:first-30] + strings.Repeat("\x00", 10) + text[first-20:], answers: 1},
		"with a hole in the last":  {text: text[:end-30] + text[end-20:], answers: 1},
		"with text after its end":  {text: text + "\n# entry 0000000100 01234567\n- kind: llm\n  requ", answers: 2},
	}
	for at := 1; at < end; at += end / full.Cases(8, 100) {
		torn := journal{text: text[:at]}
		if at >= first {
			torn.answers = 1
		}
		journals[fmt.Sprint("torn at byte ", at)] = torn
	}
	return journals
}

// leaveHalfWritten leaves what a process leaves that is killed while it writes a file.
func leaveHalfWritten(t *testing.T, of, text string) {
	t.Helper()
	temp, err := atomicfile.CreateTemp(of)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := temp.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	temp.Close()
}

// textsNextTo returns the files of a folder, with the file itself.
func textsNextTo(t *testing.T, file string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range filesNextTo(t, file) {
		texts[name] = must.Read(t, filepath.Join(filepath.Dir(file), name))
	}
	return texts
}

// Two processes that record one cassette at once both have their answers in the journal.
//
// The second process resumes from the journal of the first, and writes it again.
func TestTwoProcessesShareAJournal(t *testing.T) {
	t.Parallel()
	upstream := provider.New(t)
	file := newCassette(t)
	first := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, first, upstream.URL, "0")
	must.Engine(first).Tape().Free() // so that the second can open it, as another process
	second := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, second, upstream.URL, "100")
	for i := range 5 {
		must.Ask(t, first, upstream.URL, fmt.Sprint(1+i))
	}

	if got := strings.Count(must.Read(t, file+must.JournalSuffix), "- kind: llm"); got != 7 {
		t.Errorf("%d of 7 answers are in the journal", got)
	}
}

// A cassette with any name that the file system takes has a journal that the next run finds.
func TestJournalOfALongNameIsFound(t *testing.T) {
	t.Parallel()
	upstream := provider.New(t)
	for n := 240; n <= 255; n++ {
		t.Run(fmt.Sprint(n, " bytes"), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), strings.Repeat("n", n-len(".yaml"))+".yaml")
			killed := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
			must.Ask(t, killed, upstream.URL, "a")
			file = afterKill(t, file)
			sentBefore := upstream.Count()

			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
			must.Ask(t, rec, upstream.URL, "a")
			must.Ask(t, rec, upstream.URL, "b")
			must.Close(t, rec)

			if sent := upstream.Count() - sentBefore; sent != 1 {
				t.Errorf("%d requests were sent, want 1", sent)
			}
			if got := must.Prompts(t, file); got != "a b" {
				t.Errorf("the cassette has %q", got)
			}
			if names := filesNextTo(t, file); len(names) != 1 {
				t.Errorf("there is %q", names)
			}
		})
	}
}

// An answer that a killed run has left keeps the day on which it came.
func TestAnswerOfAKilledRunKeepsItsDay(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	killed := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Says(`{"answer":1}`)))
	must.Ask(t, killed, server, "a")
	file = afterKill(t, file)

	journal := file + ".partial"
	f, _, err := cassette.LoadJournal(journal, file)
	if err != nil || len(f.Interactions) != 1 || f.Interactions[0].Recorded == "" {
		t.Fatalf("the journal: %v\n%s", err, must.Read(t, journal))
	}
	f.Interactions[0].Recorded = "2020-02-02"
	item, err := cassette.Encode(f.Interactions[0], canon.Revision)
	if err != nil {
		t.Fatal(err)
	}
	if err := cassette.SaveJournal(journal, nil, []*cassette.Encoded{item}); err != nil {
		t.Fatal(err)
	}
	run(t, file, promptecho.ModeOnce, "a b", report.Outcome{})
	its := must.Load(t, file).Interactions
	if len(its) != 2 || its[0].Recorded != "2020-02-02" || its[1].Recorded <= its[0].Recorded {
		t.Errorf("the cassette:\n%s", must.Read(t, file))
	}
}
