package interop

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// checkAnchors makes sure that what stands in the body of a cassette is read as yaml.v3 reads it,
// or refused. If strict is set, it must not be what yaml.v3 refuses.
func checkAnchors(t *testing.T, body string, strict bool) (read bool) {
	t.Helper()
	text := "version: 1\ninteractions:\n- kind: http\n  request:\n    method: POST\n    url: https://h/\n    body:\n      " +
		strings.ReplaceAll(body, "\n", "\n      ") + "\n  response:\n    status: 200\n"
	doc, broken := codec.Parse("c.yaml", text, nil)
	if broken != nil {
		return false
	}
	if len(doc.Interactions) != 1 {
		t.Fatalf("%d interactions in\n%s", len(doc.Interactions), text)
	}
	if len(doc.Interactions[0].Request.Body) == 0 {
		return false
	}
	ours, err := exactjson.Parse(doc.Interactions[0].Request.Body)
	if err != nil {
		return false // a text
	}
	var file struct {
		Interactions []struct {
			Request struct{ Body yamlv3.Node }
		}
	}
	if err := yamlv3.Unmarshal([]byte(text), &file); err != nil && !strict {
		return false // also tabs, long keys and marks within words, which YAML has
	} else if err != nil {
		t.Fatalf("yaml.v3 refuses what we read as %s: %v\n%s", doc.Interactions[0].Request.Body, err, text)
	}
	theirs := &file.Interactions[0].Request.Body
	if theirs.Kind == yamlv3.ScalarNode {
		return false // JSON within a text
	}
	if got, want := spelled(&ours), spelledByOthers(theirs); got != want {
		t.Fatalf("we read\n%s\nand yaml.v3\n%s\nfrom\n%s", got, want, text)
	}
	return true
}

// spelled returns the names and the scalars of a value.
func spelled(v *exactjson.Value) string {
	var b strings.Builder
	switch v.Kind {
	case exactjson.Null:
		return `"null"`
	case exactjson.Object, exactjson.Array:
		for i := range v.Elems {
			if v.Kind == exactjson.Object {
				fmt.Fprintf(&b, "%q: ", v.Elems[i].Name)
			}
			b.WriteString(spelled(&v.Elems[i]) + ", ")
		}
		return "{" + b.String() + "}"
	}
	return fmt.Sprintf("%q", v.Text)
}

func spelledByOthers(n *yamlv3.Node) string {
	var b strings.Builder
	switch n.Kind {
	case yamlv3.AliasNode:
		return spelledByOthers(n.Alias)
	case yamlv3.MappingNode, yamlv3.SequenceNode:
		for i, inner := range n.Content {
			if n.Kind == yamlv3.MappingNode && i%2 == 0 {
				fmt.Fprintf(&b, "%q: ", inner.Value)
			} else {
				b.WriteString(spelledByOthers(inner) + ", ")
			}
		}
		return "{" + b.String() + "}"
	}
	if n.Tag == "!!null" {
		return `"null"`
	}
	return fmt.Sprintf("%q", n.Value)
}

// handmade are the lines that people write, and those that they write wrongly.
var handmade = []string{
	"a: &x", "b: *x", "- &x", "- *x", "- &y a", "- *y", "a: &x 1", "a: &x {b: 1}", "b: [*x, *y]", "b: {c: *x}", "c: &z [1, *x]", "- &x b: 1",
	"  b: *x", "  - 1", "  - &y c", "  c: &y", "    d: *y", "  k: |", "    text *x", "    &x", "- a: &x", "  b: &z >-", "&x", "*x", "&x a: 1", "*x : 1",
	"a: &x # why", "b: *x # why", "a: !!str &x 1", "a: &x !!str 1", "- - &x 1", "  - *x", "- [&x a, *x]", "{a: &x 1, b: *x}", "a: &x", "  &y b: 1", "a: &x-1 q", "b: *x-1", "c: *x,", "c: [*x-1]", "\"a\": *x", "b: &x[1]", "c: *x[1]", "",
}

func drawn(r *rand.Rand) string {
	var lines []string
	for range 1 + r.IntN(8) {
		lines = append(lines, handmade[r.IntN(len(handmade))])
	}
	return strings.Join(lines, "\n")
}

// TestAnchorsByHand: whatever anchors and aliases a person writes into a cassette, it is read as
// another reader reads it, or refused.
func TestAnchorsByHand(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 6))
	read, n := 0, 30_000
	for range n {
		if checkAnchors(t, drawn(r), true) {
			read++
		}
	}
	if read < n/100 {
		t.Errorf("only %d of %d were read", read, n)
	}
}

// Any text with anchors and aliases is read as another YAML reader reads it, or refused.
func FuzzAnchors(f *testing.F) {
	r := rand.New(rand.NewPCG(4, 6))
	for range 100 {
		f.Add(drawn(r))
	}
	f.Fuzz(func(t *testing.T, body string) {
		if !strings.Contains(body, "\r") {
			checkAnchors(t, body, false)
		}
	})
}
