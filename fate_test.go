package promptecho

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// TestFate holds fateOf to the table of docs/DESIGN.md, "Record modes".
func TestFate(t *testing.T) {
	t.Parallel()
	endings := map[string]ending{
		"passed":   {},
		"skipped":  {Outcome: report.Outcome{Skipped: true}},
		"failed":   {Outcome: report.Outcome{Failed: true}},
		"filtered": {Outcome: report.Outcome{Filtered: true}},
		"unsure":   {Outcome: report.Outcome{Unsure: true}},
	}
	cassettes := map[string]tape.State{
		"absent":  {},
		"partial": {Present: true, Partial: true},
		"whole":   {Present: true},
		"cut":     {Cut: true},
	}
	for _, row := range strings.Split(strings.TrimSpace(`
		once passed   | written        | completed     | added    | -
		once skipped  | written        | completed     | added    | -
		once unsure   | written        | completed     | added    | -
		once failed   | written marked | added marked  | added    | -
		once filtered | written marked | added marked  | added    | -
		update passed   | written        | asked for    | asked for | -
		update skipped  | written        | completed    | added     | -
		update unsure   | written        | completed    | added     | -
		update failed   | written marked | added marked | added     | -
		update filtered | written marked | added marked | added     | -
		all  passed   | written        | replaced      | replaced | written
		all  failed   | written marked | asked marked  | beside   | beside
		all  skipped  | written        | asked marked  | asked    | beside
		all  filtered | written marked | asked marked  | asked    | beside
		all  unsure   | written        | asked marked  | asked    | written
	`), "\n") {
		cells := strings.Split(row, "|")
		mode, end, _ := strings.Cut(strings.TrimSpace(cells[0]), " ")
		for i, cassette := range []string{"absent", "partial", "whole", "cut"} {
			want := strings.TrimSpace(cells[i+1])
			if want == "-" {
				continue // refused when it was opened
			}
			c := cassettes[cassette]
			f := fateOf(planOf(Mode(mode), c), c, endings[strings.TrimSpace(end)])
			got := map[kept]string{keepAll: "added", keepUnasked: "asked", keepAsked: "asked for", keepNone: "replaced"}[f.keep]
			switch {
			case f.beside:
				got = "beside"
			case !c.Present && f.keep == keepAll:
				got = "written"
			case f.markedIfUnused && !f.marked:
				got = "completed"
			}
			if f.marked {
				got += " marked"
			}
			if got != want || f.reason != "" {
				t.Errorf("mode %s, %s, over a cassette that is %s: %s, want %s; %q", mode, end, cassette, got, want, f.reason)
			}
		}
	}
}

// TestFateOfDanger: what would spoil a cassette goes beside it, and is an error.
func TestFateOfDanger(t *testing.T) {
	t.Parallel()
	whole, partial := tape.State{Present: true}, tape.State{Present: true, Partial: true}
	for _, tt := range []struct {
		name   string
		plan   plan
		c      tape.State
		e      ending
		beside bool
		reason string
	}{
		{"overtaken", plan{}, whole, ending{overtaken: true}, true, "something else wrote it"},
		{"overtaken while all is recorded", plan{again: true}, partial, ending{overtaken: true}, true, "something else wrote it"},
		{"overtaken where there was none", plan{}, tape.State{}, ending{overtaken: true}, true, "something else wrote it"},
		{"a clash in a whole cassette", plan{}, whole, ending{Outcome: report.Outcome{Failed: true}, clash: true}, true, "cannot tell apart"},
		{"a clash in a partial one", plan{}, partial, ending{Outcome: report.Outcome{Failed: true}, clash: true}, false, ""},
		{"a clash while it is updated", plan{update: true}, whole, ending{clash: true}, true, "cannot tell apart"},
		{"an outdated cassette that is updated", plan{update: true}, whole, ending{Outcome: report.Outcome{Failed: true}, outdated: true}, true, ""},
		{"accepted recordings, in a run that fails", plan{renew: true}, whole, ending{Outcome: report.Outcome{Failed: true}}, true, ""},
		{"accepted recordings of a partial cassette, in a run that fails", plan{renew: true}, partial, ending{Outcome: report.Outcome{Failed: true}}, true, ""},
		{"an outdated cassette that is not", plan{}, whole, ending{Outcome: report.Outcome{Failed: true}, outdated: true}, false, ""},
		{"a clash while all is recorded", plan{again: true}, whole, ending{Outcome: report.Outcome{Failed: true}, clash: true}, true, ""},
	} {
		f := fateOf(tt.plan, tt.c, tt.e)
		if f.beside != tt.beside || !strings.Contains(f.reason, tt.reason) || (f.reason == "") != (tt.reason == "") {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}

// TestFateOfDoubt: what was contested or missed drops nothing.
func TestFateOfDoubt(t *testing.T) {
	t.Parallel()
	if f := fateOf(plan{update: true}, tape.State{Present: true}, ending{doubtful: true}); f.keep != keepAll || f.beside {
		t.Errorf("%+v", f)
	}
}
