package yaml

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/testing/seeds"
)

var testFormat = Format{Name: "a file", Tags: []string{"!a", "!!binary", "!!str"}}

// documents are texts to begin with.
var documents = []string{
	"", "# c\n", "---\na: 1 # c\n...\n", "%YAML 1.2\n---\na\n", "a:\n- 1\n- b: c\n  d: 'e ''f'\n-\n  - x\n", "a: {b: [1, c d,\n \"e\"], f: , \"g\":h}\n",
	"a: |\n  b\n   c\n\n  d\nb: >-\n  x\n  y\n\n  z\nc: |2+\n   k\n\n", "a: b\n  c\n\n  d\n", "\"a\\\n  b\\u00e9\\x41 \n  c\": !!str 1\n", "a: !!binary |\n  AP\n  8=\n",
	"a: &b c\n", "? a\n: b\n", "<<: a\n", "a: 1\na: 2\n", "a: [\n", "a: \"b\n", "\ta: b\n", "a: b: c\n", "- a\n b\n", "a: @b\n", "--- a\n", "a: b\n---\nc\n", "a: !x b\n", "[[a]: b]\n",
}

// FuzzYAML: no text makes Parse panic, an error stands within the text, and the texts
// and keys of what is read are valid UTF-8.
func FuzzYAML(f *testing.F) {
	for _, s := range documents {
		f.Add(s)
	}
	if golden, err := os.ReadFile("../testdata/golden.yaml"); err == nil {
		f.Add(string(golden))
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := testFormat.Parse(text)
		if err == nil {
			checkNode(t, text, root)
		} else if err.Offset < 0 || err.Offset > len(text) || err.Msg == "" {
			t.Fatalf("%q: error %+v", text, err)
		}
	})
}

func checkNode(t *testing.T, text string, n *Node) {
	t.Helper()
	if n.Pos < 0 || n.Pos > len(text) || !utf8.ValidString(n.Text) || n.Kind != Scalar && n.Text != "" {
		t.Fatalf("%q: %+v", text, n)
	}
	for _, e := range n.Elems {
		if checkNode(t, text, e); (n.Kind == Mapping) != (e.Key != nil) {
			t.Fatalf("%q: %+v", text, e)
		}
		if e.Key != nil {
			checkNode(t, text, e.Key)
		}
	}
}

// FuzzScalars: whatever way a text may be written, it is read as itself.
func FuzzScalars(f *testing.F) {
	for _, s := range seeds.Strings {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd")
		written := map[string]bool{fmt.Sprintf("a: %s\n", AppendQuoted(nil, s)): true, fmt.Sprintf("[%s]", AppendQuoted(nil, s)): true}
		written[fmt.Sprintf("- %s\n", AppendDoubleQuoted(nil, s))] = true
		written[fmt.Sprintf("a: %s\n", AppendLiteral(nil, s, 3))] = IsLiteral(s)
		written["- "+s+" # c\n"] = IsPlain(s)
		written["a: {"+s+": "+s+"}"] = IsWord(s)
		written[s+": b"] = IsKey(s)
		for text, want := range written {
			if !want {
				continue
			}
			n, err := testFormat.Parse(text)
			if err != nil {
				t.Fatalf("%q: %+v", text, err)
			}
			for n.Kind != Scalar && len(n.Elems) > 0 && !strings.HasSuffix(text, ": b") {
				n = n.Elems[0]
			}
			if len(n.Elems) > 0 {
				n = n.Elems[0].Key
			}
			if n.Text != s {
				t.Fatalf("%q: got %q", text, n.Text)
			}
		}
	})
}
