package matching_test

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A list named by Unordered matches in any order, with a note; the order of all other lists decides.
func TestUnorderedListMatchesInAnyOrder(t *testing.T) {
	t.Parallel()
	const recorded = `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`
	const (
		played     = "played"
		playedNote = "played, with a note about params/order"
		missed     = "missed"
	)
	tests := []struct {
		name  string
		asked string
		opt   promptecho.Option
		want  string
	}{
		{
			name:  "as recorded",
			asked: recorded,
			want:  played,
		},
		{
			name:  "in another order",
			asked: `{"params":[{"k":"c","at":"12:00"},{"v":[1,2],"k":"a"},{"k":"b","v":[3]}],"ids":[1,2]}`,
			want:  playedNote,
		},
		{
			name:  "a list in an element in another order",
			asked: `{"params":[{"k":"a","v":[2,1]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[1,2]}`,
			want:  missed,
		},
		{
			name:  "a list of another name in another order",
			asked: `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]},{"k":"c","at":"12:00"}],"ids":[2,1]}`,
			want:  missed,
		},
		{
			name:  "an element less",
			asked: `{"params":[{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`,
			want:  missed,
		},
		{
			name: "an element twice",
			asked: `{"params":[{"k":"a","v":[1,2]},{"k":"a","v":[1,2]},{"k":"b","v":[3]},` +
				`{"k":"c","at":"12:00"}],"ids":[1,2]}`,
			want: missed,
		},
		{
			name:  "in another order, with an ignored field that differs",
			asked: `{"params":[{"k":"c","at":"99:99"},{"k":"a","v":[1,2]},{"k":"b","v":[3]}],"ids":[1,2]}`,
			opt:   promptecho.Ignore("params/*/at"),
			want:  playedNote,
		},
		{
			name:  "in another order, with a masked text that differs",
			asked: `{"params":[{"k":"b","v":[3]},{"k":"c","at":"07:15"},{"k":"a","v":[1,2]}],"ids":[1,2]}`,
			opt:   promptecho.Mask(`\d\d:\d\d`, "T"),
			want:  playedNote,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const url = "https://db.example.com/q"
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{{URL: url, Body: recorded}})
			r := must.Open(t, file,
				promptecho.InMode(promptecho.ModeNone), promptecho.Unordered("params"), tt.opt)
			answer := must.Request{URL: url, Body: tt.asked}.Ask(t, r)
			notes := strings.Join(must.Finish(r, report.Outcome{}).Notes, "\n")

			got := played
			switch {
			case strings.HasPrefix(answer, "status 418"):
				got = missed
			case strings.Contains(notes, "params/order"):
				got = playedNote
			}
			if got != tt.want {
				t.Errorf("%s, want %s\nanswer: %s\nnotes: %s", got, tt.want, answer, notes)
			}
		})
	}
}
