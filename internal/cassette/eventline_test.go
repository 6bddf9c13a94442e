package cassette

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEventLines: the lines of events are found in every layout that a person can give them, and
// those of several interactions in one pass.
func TestEventLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		starts     []int
		want       [][]int
	}{
		{
			"a line each",
			"interactions:\n- kind: http\n  response:\n    events:\n    - {a: 1}\n    - {b: 2}\n    delays_ms: [1]\n",
			[]int{2}, [][]int{{5, 6}},
		},
		{
			"blocks, comments and blank lines",
			"- response:\n    events:\n    - a:\n        - 1\n        - 2\n\n    - b: |\n        text\n        - text\n    end: x\n    - no: event\n",
			[]int{1}, [][]int{{3, 7}},
		},
		{
			"indented less than the key, as YAML allows",
			"- response:\n    events:\n      - a: 1\n      - b: 1\n  usage: {}\n",
			[]int{1}, [][]int{{3, 4}},
		},
		{
			"two interactions, one between them without events",
			"- response:\n    events:\n    - {a: 1}\n- body: x\n- response:\n    events:\n    # note\n    - {b: 1}\n",
			[]int{1, 4, 5}, [][]int{{3}, nil, {8}},
		},
		{"none in a flow", "- {response: {events: [{a: 1}]}}\n", []int{1}, [][]int{nil}},
		{"a start behind the end", "- response:\n    events:\n    - {a: 1}\n", []int{9}, [][]int{nil}},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		got := EventLines(path, tt.starts)
		if !slices.EqualFunc(got, tt.want, slices.Equal[[]int]) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := EventLine(filepath.Join(t.TempDir(), "gone.yaml"), 7, 3); got != 7 {
		t.Errorf("a file that is gone: line %d, want that of the interaction", got)
	}
}
