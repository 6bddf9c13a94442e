package cassette

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// TestBothSidesOfAConflict: both versions of a cassette with merge conflicts come back, each with
// the seals of both, so that an interaction that stands in one of them is not taken for edited.
func TestBothSidesOfAConflict(t *testing.T) {
	t.Parallel()
	format := func(bodies ...string) []string {
		text, _, err := Format(withKeys(fileWith(bodies...)))
		if err != nil {
			t.Fatal(err)
		}
		return strings.SplitAfter(string(text), "\n")
	}
	ours, theirs := format("a", "b"), format("a", "c")
	common := 0
	for ours[common] == theirs[common] {
		common++
	}
	data := strings.Join(slices.Concat(ours[:common],
		[]string{"<<<<<<< HEAD\n"}, ours[common:],
		[]string{"=======\n"}, theirs[common:],
		[]string{">>>>>>> branch\n"}), "")

	gotOurs, gotTheirs, ok := ConflictSides([]byte(data))
	if !ok {
		t.Fatalf("no conflict in\n%s", data)
	}
	for name, side := range map[string]struct {
		text []byte
		want *File
	}{"ours": {gotOurs, fileWith("a", "b")}, "theirs": {gotTheirs, fileWith("a", "c")}} {
		for _, line := range slices.Concat(ours, theirs) {
			if isSealLine(line) && !strings.Contains(string(side.text), line) {
				t.Errorf("%s has no seal %s%s", name, line, side.text)
			}
		}
		f, err := Parse("c.yaml", side.text, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, side.text)
		}
		if len(f.Interactions) != len(side.want.Interactions) {
			t.Errorf("%s has %d interactions", name, len(f.Interactions))
			continue
		}
		for i, it := range f.Interactions {
			if it.MatchKey == "" || string(it.Response.Body) != string(side.want.Interactions[i].Response.Body) {
				t.Errorf("%s: interaction %d is %q with the key %q", name, i, it.Response.Body, it.MatchKey)
			}
		}
	}
	seals := 0
	for _, line := range ours {
		if isSealLine(line) {
			seals++
		}
	}
	if seals != 2 {
		t.Errorf("%d seals of two interactions", seals)
	}
	for _, broken := range []string{
		strings.Replace(data, "=======\n", "", 1),
		strings.Replace(data, ">>>>>>> branch\n", "", 1),
		strings.Join(ours, ""),
	} {
		if _, _, ok := ConflictSides([]byte(broken)); ok {
			t.Errorf("this is taken for a conflict:\n%s", broken)
		}
	}
}

// A merge conflict only in the day of an answer is no second recording, and the later day counts.
func TestConflictInTheDayOfAnAnswer(t *testing.T) {
	t.Parallel()
	format := func(day interaction.Date) string {
		f := withKeys(fileWith("a"))
		f.Interactions[0].Recorded = day
		text, _, err := Format(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, days := range [][2]interaction.Date{{"2026-01-02", "2026-03-04"}, {"2026-03-04", "2026-01-02"}, {"", "2026-03-04"}} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		text := "<<<<<<< HEAD\n" + format(days[0]) + "=======\n" + format(days[1]) + ">>>>>>> branch\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		idx, skipped, ok := LoadConflicted(file)
		if !ok || skipped > 0 || idx.Len() != 1 || idx.Outline(0).Recorded != "2026-03-04" {
			t.Errorf("%q: %d skipped, %v", days, skipped, idx)
		}
	}
}
