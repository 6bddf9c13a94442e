package matching_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A cassette may be edited by hand: the next replay matches and answers by what it has then.
func TestCassetteMayBeEditedByHand(t *testing.T) {
	t.Parallel()
	const miss = ""
	for _, tt := range []struct {
		name string
		edit func(*cassette.File)
		want map[string]string // a part of the answer to each prompt that is asked
		err  string            // of Close
	}{
		{
			name: "as recorded",
			edit: func(*cassette.File) {},
			want: map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`},
		},
		{
			name: "an interaction deleted",
			edit: func(f *cassette.File) { f.Interactions = slices.Delete(f.Interactions, 1, 2) },
			want: map[string]string{"a": `"n":1`, "b": miss, "c": `"n":3`},
			err:  "1 request has no recording",
		},
		{
			name: "an interaction added, without a key",
			edit: func(f *cassette.File) {
				added := *f.Interactions[0]
				added.Request.Body = []byte(must.ChatBody("d"))
				added.MatchKey = "" // people do not compute hashes
				f.Interactions = append(f.Interactions, &added)
			},
			want: map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`, "d": `"n":1`},
		},
		{
			name: "an interaction added that is not asked for, with the key of another one",
			edit: func(f *cassette.File) {
				added := *f.Interactions[0]
				added.Request.Body = []byte(must.ChatBody("d"))
				f.Interactions = append(f.Interactions, &added)
			},
			want: map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`},
			err:  "1 of 4 recordings not used",
		},
		{
			name: "interactions in another order",
			edit: func(f *cassette.File) { slices.Reverse(f.Interactions) },
			want: map[string]string{"a": `"n":1`, "b": `"n":2`, "c": `"n":3`},
		},
		{
			name: "an answer edited",
			edit: func(f *cassette.File) { f.Interactions[0].Response.Body = []byte(`{"n":"edited"}`) },
			want: map[string]string{"a": `"n":"edited"`, "b": `"n":2`, "c": `"n":3`},
		},
		{
			name: "a request edited, and not its key",
			edit: func(f *cassette.File) { f.Interactions[0].Request.Body = []byte(must.ChatBody("z")) },
			want: map[string]string{"z": `"n":1`, "a": miss, "b": `"n":2`, "c": `"n":3`},
			err:  "1 request has no recording",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			base := must.Record(t, file, "a", "b", "c")
			f := must.Load(t, file)
			tt.edit(f)
			if err := rewrite.Save(file, f); err != nil {
				t.Fatal(err)
			}

			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for prompt, want := range tt.want {
				if want == miss {
					must.WantMiss(t, rec, base, prompt)
					continue
				}
				status, body := must.Ask(t, rec, base, prompt)
				if status != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: %d %s, want %q", prompt, status, body, want)
				}
			}
			err := rec.Close()
			switch {
			case tt.err == "" && err != nil:
				t.Errorf("Close: %v", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("Close: %v, want %q", err, tt.err)
			}
		})
	}
}
