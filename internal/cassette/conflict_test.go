package cassette

import (
	"slices"
	"strings"
	"testing"
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
