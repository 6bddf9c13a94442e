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

	nodes := testing.AllocsPerRun(10, func() {
		again.Parse(long.String())
		again.Nodes.Reset()
	})
	if nodes > 10 {
		t.Errorf("%v allocations for a text whose nodes have room", nodes)
	}
}
