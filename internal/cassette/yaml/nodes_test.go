package yaml

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestNodesAreUsedAgain: what is read into the memory of another tree is what is read into new
// memory, whatever that tree had, and reading it allocates no nodes.
func TestNodesAreUsedAgain(t *testing.T) { // not parallel: it counts allocations
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "- {key%d: [%d, x, 'y']}\n", i, i)
	}
	texts := []string{
		"a: 1", long.String(), "- &x {a: [b, c, d, e, f]}\n- *x\n- [*x, *x]", "", "{a: {b: [}", "[1, 2, 3]",
		long.String()[:1000], "? x", "a: &x\n- 1\nb: *x", "a: 1\na: 2",
	}
	f := Format{Name: "a text", Tags: []string{"!!str", "!!binary"}, Aliases: true}
	again := f
	again.Nodes = new(Nodes)
	for range 2 {
		for _, text := range texts {
			want, wantErr := f.Parse(text)
			got, err := again.Parse(text)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
				t.Errorf("%.100q: got %v, %v, want %v, %v", text, got, err, want, wantErr)
			}
			again.Nodes.Reset()
		}
	}

	if n := again.Nodes.Len(); n < 500 {
		t.Errorf("there is memory for %d nodes, want one for each of the 500 of the longest text", n)
	}
	nodes := testing.AllocsPerRun(10, func() {
		again.Parse(long.String())
		again.Nodes.Reset()
	})
	if nodes > 10 {
		t.Errorf("%v allocations for a text whose nodes have room", nodes)
	}
}

// TestBlockTextsAndAliases: the indentation of a block of text may be said, and an alias stands for a
// value, not for a key.
func TestBlockTextsAndAliases(t *testing.T) {
	t.Parallel()
	f := Format{Name: "a text", Aliases: true}
	for text, want := range map[string]string{
		"a: |2\n   b\n":          " b\n",
		"a: |1\n  b\n  c\n":      " b\n c\n",
		"a: |\n  b\n":            "b\n",
		"a: >-\n  b\n  c\n":      "b c",
		"x: &x b\na: *x\n":       "b",
		"x: &x b\na: *x : c\n":   "error: an alias cannot be a key; write the key out",
		"x: &x b\na: [*x : c]\n": "error: an alias cannot be a key; write the key out",
	} {
		root, err := f.Parse(text)
		got := ""
		if err != nil {
			got = "error: " + err.Msg
		} else {
			got = root.Elems[len(root.Elems)-1].Text
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
