package recorder

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

var (
	saveModeNames = map[saveMode]string{adds: "`once`, `new_episodes`", updates: "`update`", replaces: "`all`"}

	endingNames = map[ending]string{
		passed:   "passed",
		unknown:  "unknown",
		reduced:  "reduced",
		skipped:  "skipped",
		filtered: "filtered",
		failed:   "failed",
	}
)

func TestSaveTableIsThatOfTheDocs(t *testing.T) {
	t.Parallel()
	design, err := os.ReadFile("../../docs/design/runs-end.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(design), "| mode | the run | absent | partial | whole | cut off |\n|---|---|---|---|---|---|\n")
	table, _, _ := strings.Cut(page, "\n\n")

	var rows []string
	for _, row := range saveTable {
		var ends []string
		for _, end := range row.ends {
			ends = append(ends, endingNames[end])
		}
		cells := []string{
			saveModeNames[row.mode], strings.Join(ends, ", "),
			row.absent.name, row.partial.name, row.whole.name, row.cut.name,
		}
		rows = append(rows, "| "+strings.Join(cells, " | ")+" |")
	}
	if got := strings.Join(rows, "\n"); got != table {
		t.Errorf("the table of decide.go:\n%s\n\nthe table of docs/design/runs-end.md:\n%s", got, table)
	}
}

func TestSaveTableHasEachCaseOnce(t *testing.T) {
	t.Parallel()
	for mode := range saveModeNames {
		for end := range endingNames {
			rows := 0
			for _, row := range saveTable {
				if row.mode == mode && slices.Contains(row.ends, end) {
					rows++
				}
			}
			if rows != 1 {
				t.Errorf("mode %s, %s: %d rows", saveModeNames[mode], endingNames[end], rows)
			}
		}
	}
}

// TestSaveTableDropsNothingWithoutProof: old recordings are dropped only by a
// run that passed, or may have passed and recorded as many.
func TestSaveTableDropsNothingWithoutProof(t *testing.T) {
	t.Parallel()
	for _, row := range saveTable {
		for _, v := range []verdict{row.absent, row.partial, row.whole, row.cut} {
			drops := v.keeps == keepUsed || v.keeps == keepNone || v.keeps == keepFrozen
			for _, end := range row.ends {
				if drops && end != passed && end != unknown {
					t.Errorf("mode %s, %s: %s", saveModeNames[row.mode], endingNames[end], v.name)
				}
			}
		}
	}
}

func TestSaveEnding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		facts runFacts
		want  ending
	}{
		{"nothing is wrong", runFacts{}, passed},
		{"it failed", runFacts{Outcome: report.Outcome{Failed: true}}, failed},
		{"it failed and is filtered", runFacts{Outcome: report.Outcome{Failed: true, Filtered: true}}, failed},
		{"it is filtered and skips itself", runFacts{Outcome: report.Outcome{Filtered: true, Skipped: true}}, filtered},
		{"it skips itself with -short", runFacts{Outcome: report.Outcome{Skipped: true, Short: true}}, skipped},
		{"-short", runFacts{Outcome: report.Outcome{Short: true}}, reduced},
		{"the cassette is shared", runFacts{shared: true}, reduced},
		{"Close, as many recordings", runFacts{Outcome: report.Outcome{Unsure: true}, asMany: true}, unknown},
		{"Close, fewer recordings", runFacts{Outcome: report.Outcome{Unsure: true}}, reduced},
		{"Close, and a miss", runFacts{Outcome: report.Outcome{Unsure: true}, asMany: true, doubtful: true}, reduced},
		{"Close, with -short", runFacts{Outcome: report.Outcome{Unsure: true, Short: true}, asMany: true}, reduced},
		{"Close, failed", runFacts{Outcome: report.Outcome{Unsure: true, Failed: true}, asMany: true}, failed},
	} {
		if got := tt.facts.ending(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, endingNames[got], endingNames[tt.want])
		}
	}
}

// TestSaveDecisionBeforeTheTable: what would spoil a cassette leaves it as it
// is.
func TestSaveDecisionBeforeTheTable(t *testing.T) {
	t.Parallel()
	var (
		add      = plan{record: true}
		update   = plan{record: true, dropUnused: true, rerecordSessions: true}
		accepted = plan{record: true, dropUnused: true, rerecordAccepted: true}
		older    = plan{record: true, dropUnused: true, rerecordOlder: true}
		all      = plan{record: true, rerecord: true}

		absent  = tape.State{}
		partial = tape.State{Present: true, Partial: true}
		whole   = tape.State{Present: true}

		failedRun = report.Outcome{Failed: true}
	)
	for _, tt := range []struct {
		name     string
		plan     plan
		cassette tape.State
		facts    runFacts
		want     verdict
	}{
		{"overtaken", add, whole, runFacts{overtaken: true}, setAsideBecause(reasonOvertaken)},
		{"overtaken, mode all", all, partial, runFacts{overtaken: true}, setAsideBecause(reasonOvertaken)},
		{"overtaken, absent", add, absent, runFacts{overtaken: true}, setAsideBecause(reasonOvertaken)},

		{"refused", add, absent, runFacts{Outcome: failedRun, refused: true}, resumed},
		{"refused, mode all", all, whole, runFacts{Outcome: failedRun, refused: true}, resumed},
		{"refused, passed", update, whole, runFacts{refused: true}, resumed},
		{"failed try", add, absent, runFacts{Outcome: failedRun, tried: true}, setAside},
		{"failed try, mode all", all, whole, runFacts{Outcome: failedRun, tried: true}, setAside},
		{"failed try, an answer is lost", all, whole, runFacts{Outcome: failedRun, tried: true, lost: true}, resumed},
		{"passed try", all, whole, runFacts{tried: true, lost: true}, replaced},

		{"ambiguous", add, whole, runFacts{Outcome: failedRun, ambiguous: true}, setAsideBecause(reasonAmbiguous)},
		{"ambiguous, update", update, whole, runFacts{ambiguous: true}, setAsideBecause(reasonAmbiguous)},
		{"ambiguous, partial", add, partial, runFacts{Outcome: failedRun, ambiguous: true}, addedPartial},
		{"ambiguous, mode all", all, whole, runFacts{Outcome: failedRun, ambiguous: true}, setAside},

		{"outdated, update", update, whole, runFacts{Outcome: failedRun, outdated: true}, setAside},
		{"outdated, another mode", add, whole, runFacts{Outcome: failedRun, outdated: true}, added},
		{"outdated, partial", update, partial, runFacts{Outcome: failedRun, outdated: true}, addedPartial},

		{"accepted, failed", accepted, whole, runFacts{Outcome: failedRun}, setAside},
		{"accepted, partial, failed", accepted, partial, runFacts{Outcome: failedRun}, setAside},
		{"accepted, passed", accepted, whole, runFacts{}, unusedDropped},

		{"older, failed", older, whole, runFacts{Outcome: failedRun}, setAside},
		{"older, passed", older, whole, runFacts{}, unusedDropped},

		{"doubtful, update", update, whole, runFacts{doubtful: true}, added},
		{"doubtful, mode all", all, whole, runFacts{doubtful: true}, replaced},
	} {
		if got := decide(tt.plan, tt.cassette, tt.facts); got != tt.want {
			t.Errorf("%s: %q %s, want %q %s", tt.name, got.name, got.reason, tt.want.name, tt.want.reason)
		}
	}
}

// TestErrorThatIsAloneStaysAFinding: sixty tests that fail for one finding tell it
// once, so joining errors must not hide it.
func TestErrorThatIsAloneStaysAFinding(t *testing.T) {
	t.Parallel()
	one := finding.Errorf(finding.SuccessKept, "c.yaml:4", "not replaced")
	for _, err := range []error{both(one, nil), both(nil, one)} {
		if _, isFinding := err.(*finding.Error); !isFinding {
			t.Errorf("%T is no finding", err)
		}
	}
	if err := both(nil, nil); err != nil {
		t.Errorf("no error is %v", err)
	}
	if err := both(one, io.EOF); !errors.Is(err, io.EOF) || !errors.Is(err, error(one)) {
		t.Errorf("both are %v", err)
	}
}
