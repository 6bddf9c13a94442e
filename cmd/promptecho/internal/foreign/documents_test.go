package foreign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// show writes a node in a form that leaves no doubt.
func show(n *yaml.Node) string {
	switch n.Kind {
	case yaml.Mapping:
		var parts []string
		for i := range n.Elems {
			parts = append(parts, n.Elems[i].Key.Tag+n.Elems[i].Key.Text+": "+show(n.Elems[i]))
		}
		return n.Tag + "{" + strings.Join(parts, ", ") + "}"
	case yaml.Sequence:
		var parts []string
		for i := range n.Elems {
			parts = append(parts, show(n.Elems[i]))
		}
		return n.Tag + "[" + strings.Join(parts, ", ") + "]"
	}
	if n.Style == yaml.Plain {
		return n.Tag + n.Text
	}
	return fmt.Sprintf("%s%q", n.Tag, n.Text)
}

// What other tools write beside texts (anchors, tags of their languages, directives, second
// documents) is read as YAML 1.2 says, and no text is touched.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"a: &id001 [1, 2]\nb: *id001\n", "{a: [1, 2], b: [1, 2]}"},
		{"l:\n- &x\n  q: 1\n  r: &y 'é'\n- *x\n- *y\n", "{l: [{q: 1, r: \"é\"}, {q: 1, r: \"é\"}, \"é\"]}"},
		{"é: &x é\nü: *x\nc: 'a &x *x !t'\nd: |\n  &x *x\n  !t\n", "{é: é, ü: é, c: \"a &x *x !t\", d: \"&x *x\\n!t\\n\"}"},
		{"a: !!python/unicode 'é'\nb: !ruby/hash:Foo\n  c: ! 'd'\n", "{a: \"é\", b: !ruby/hash:Foo{c: \"d\"}}"},
		{"{!!str a: !!python/unicode 'b', c: !!binary YQ==, d: !!python/tuple [!x 1]}\n", "{!!stra: \"b\", c: !!binaryYQ==, d: !!python/tuple[1]}"},
		{"%YAML 1.1\n---\na: !binary |-\n  YQ==\n", "{a: !binary\"YQ==\"}"},
		{"---\na: 1\n...\n---\nb: &x 2\nc: *x\n", "{a: 1} {b: 2, c: 2}"},
		{"---\na: é\n---\nb: 2\n---\n", "{a: é} {b: 2}"},
		{"? a\n: b\n? 'c: d'\n: - e\n? \"f\"\n: g: 1\n  h: 2\n", "{a: b, c: d: [e], f: {g: 1, h: 2}}"},
		{"l:\n- ? a b\n  : c\n- 'x'\nt: |\n  ? a\n  : b\n", "{l: [{a b: c}, \"x\"], t: \"? a\\n: b\\n\"}"},
		{"? !!python/object/new:x.istr\n- é\n: - !!python/object/new:x.istr\n    - b\n", "{é: [!!python/object/new:x.istr[b]]}"},
		{"a: &x plain\n  text !t &y\nb: 1\n", "{a: plain text !t &y, b: 1}"},
	} {
		roots, err := documents(tt.text)
		if err != nil {
			t.Errorf("%q: %s", tt.text, err.Msg)
			continue
		}
		var got []string
		for _, root := range roots {
			got = append(got, show(root))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// A long line with much in it is read in one pass.
func TestLongLine(t *testing.T) {
	t.Parallel()
	const n = 30_000
	roots, err := documents("{a: [" + strings.Repeat("é, ", n) + "1], b: !t &x 2, c: *x}\n")
	if err != nil {
		t.Fatal(err.Msg)
	}
	if got := show(roots[0]); len(roots[0].Elems[0].Elems) != n+1 || !strings.HasSuffix(got, ", 1], b: 2, c: 2}") {
		t.Errorf("%d elements, %s", len(roots[0].Elems[0].Elems), got[len(got)-40:])
	}
}

// What is doubtful is refused where it stands.
func TestDocumentsRefused(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x, x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c [*%[2]c, *%[2]c, *%[2]c]\n", c, c-1)
	}
	for _, tt := range []struct {
		text, want string
		line       int
	}{
		{"a: *x\n", "there is no anchor above", 1},
		{"a: 1\nb: &x [*x]\n", "there is no anchor above", 2},
		{"? [a]\n: b\n", "explicit keys", 1},
		{"? a: 1\n: b\n", "explicit keys", 1},
		{"? - a\n: b\n", "explicit keys", 1},
		{"? 'a\n  b'\n: c\n", "explicit keys", 1},
		{"? a\nb: c\n", "explicit keys", 1},
		{"a: 1\n? !!python/object/new:x.istr\n- b\n- c\n: d\n", "explicit keys", 2},
		{"a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys", 3},
		{"a: \"b\n", "a quote", 1},
		{"a: |\n  x\u2028y\n", "line break", 2},
		{bomb, "more than any cassette contains", 0},
	} {
		roots, err := documents(tt.text)
		if err == nil {
			t.Errorf("%.60q was read: %s", tt.text, show(roots[0]))
			continue
		}
		if line, _ := yaml.Position(tt.text, err.Offset); !strings.Contains(err.Msg, tt.want) || tt.line > 0 && line != tt.line {
			t.Errorf("%.60q: line %d: %s; want %s in line %d", tt.text, line, err.Msg, tt.want, tt.line)
		}
	}
}
