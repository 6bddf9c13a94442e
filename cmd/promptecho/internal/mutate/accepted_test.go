package mutate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// A finding that a line of testdata/unnoticed.txt names, with a reason, is accepted; others are not.
func TestAcceptedFindings(t *testing.T) {
	t.Parallel()
	dir := tree.New(t, map[string]string{AcceptedFile: strings.Join([]string{
		"# what nobody need notice",
		"",
		"TestText: other text: shown as it is: to a person",
		"  TestAll : * : asserts on the request only",
		"TestText: cut off: never seen",
	}, "\n")})
	accepted, err := readAccepted(dir)
	if err != nil {
		t.Fatal(err)
	}
	change := func(k mutation.Kind, o Outcome) Change { return Change{Kind: k, Outcome: o} }
	test := func(name string, changes ...Change) *Test {
		test := &Test{Name: name, Answers: []*Answer{{Changes: changes}}}
		accepted.apply(test)
		return test
	}
	for _, tt := range []struct {
		test *Test
		want string // the reason
	}{
		{test("TestText", change(mutation.OtherText, Unnoticed)), "shown as it is: to a person"},
		{test("TestText", change(mutation.OtherText, Noticed)), ""},
		{test("TestText", change(mutation.NoText, Unnoticed)), ""},
		{test("TestText/a", change(mutation.OtherText, Held)), "shown as it is: to a person"},
		{test("TestTexts", change(mutation.OtherText, Unnoticed)), ""},
		{test("TestAll", change(mutation.NoText, Panics)), "asserts on the request only"},
	} {
		c := tt.test.Answers[0].Changes[0]
		if c.Accepted != tt.want {
			t.Errorf("%s: %s, %s: %q, want %q", tt.test.Name, c.Kind, c.Outcome, c.Accepted, tt.want)
		}
	}

	want := []string{"testdata/unnoticed.txt:5: TestText: cut off: no change shows this any more"}
	if got := accepted.stale(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A line of testdata/unnoticed.txt without a reason is an error, which names the file and the line.
func TestBadLineOfAcceptedFindings(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"TestText", "TestText: other text", "TestText: other text:  "} {
		dir := tree.New(t, map[string]string{AcceptedFile: "# a comment\n" + line + "\n"})
		_, err := readAccepted(dir)
		place := filepath.Join(dir, filepath.FromSlash(AcceptedFile)) + ":2: "
		if err == nil || !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// A package without testdata/unnoticed.txt accepts nothing.
func TestNoFileOfAcceptedFindings(t *testing.T) {
	t.Parallel()
	accepted, err := readAccepted(t.TempDir())
	if err != nil || accepted.stale() != nil {
		t.Errorf("%v, %v", accepted, err)
	}
}
