package alias

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// item returns the text of an interaction with a body of these lines.
func item(body string) []byte {
	return []byte("- kind: llm\n  request:\n    method: POST\n    url: https://h/\n    body:\n" + body + "  response:\n    status: 200\n    # text:\n    #   - &a b\n    body: ok\n  latency_ms: 1\n")
}

const tool = "      tools:\n      - name: get_weather\n        input:\n          type: object\n          required: [city]\n"

func written(texts ...[]byte) string {
	var all strings.Builder
	for _, text := range Write(texts) {
		all.Write(text)
	}
	return all.String()
}

// TestNothingRepeats: what has nothing twice stays as it is, byte for byte.
func TestNothingRepeats(t *testing.T) {
	t.Parallel()
	for _, body := range []string{tool, "      empty:\n      next: 1\n", "      text: |\n        - &a\n        *a\n\n        b: |\n          c\n      \"a: b\": 'it: \"x\"'\n      list:\n      - - 1\n        - - two\n          - |-\n            a\n            b\n      - {a: b}\n"} {
		text := item(body)
		root, ok := read(string(text))
		if !ok || root.print(0) != string(text) {
			t.Errorf("not known:\n%s", text)
		}
		if got := written(text); got != string(text) {
			t.Errorf("got\n%s", got)
		}
	}
}

// TestNames: the name of an anchor says what the value is, and depends on nothing else in the
// file.
func TestNames(t *testing.T) {
	t.Parallel()
	name := func(text string) string {
		_, after, _ := strings.Cut(text, "&")
		name, _, _ := strings.Cut(after, "\n")
		return name
	}
	other := "      tools:\n      - name: other\n        input:\n          type: string\n          enum: [a]\n"
	first := name(written(item(tool), item(tool+"      model: m\n")))
	if !strings.HasPrefix(first, "tools-") {
		t.Errorf("got %q", first)
	}
	both := written(item(other), item("      model: x\n"+tool), item(tool+"      model: m\n"))
	if !strings.Contains(both, "&"+first+"\n") || !strings.Contains(both, " *"+first+"\n") {
		t.Errorf("the name is not %s:\n%s", first, both)
	}
	if changed := name(written(item(strings.Replace(tool, "city", "town", 1)), item(strings.Replace(tool, "city", "town", 1)+"      model: m\n"))); changed == first {
		t.Errorf("%s names two values", first)
	}
	if got := written(item(tool), item(tool[:strings.Index(tool, "      - ")]+"      - name: x\n"+tool[strings.Index(tool, "      - "):])); !strings.Contains(got, "- &tool-get_weather-") || !strings.Contains(got, "- *tool-get_weather-") {
		t.Errorf("got\n%s", got)
	}
}

// TestHistory: the turns of a conversation have what is new and one line of aliases.
func TestHistory(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	history := "      messages:\n"
	for i := range 100 {
		history += fmt.Sprintf("      - role: user\n        content: question %d\n      - role: assistant\n        content: |-\n          answer\n          %d\n", i, i)
		texts = append(texts, item(history))
	}
	all := written(texts...)
	if n := strings.Count(all, "\n"); n > 100*25 {
		t.Errorf("%d lines", n)
	}
	for i := range 100 {
		if n := strings.Count(all, fmt.Sprintf(": question %d\n", i)); n != 1 && i > 0 || n > 2 { // the first one is of two lines, in a short list
			t.Errorf("question %d is there %d times", i, n)
		}
	}
	found := 0
	f := yaml.Format{Name: "a file", Tags: []string{"!!str", "!!binary"}, Aliases: true}
	f.OnAnchor = func(name string, value yaml.Node) {
		if found++; value.Kind == yaml.Scalar && !strings.Contains(value.Text, "\n") {
			t.Errorf("the anchor %s is of %q", name, value.Text)
		}
	}
	if _, err := f.Parse(all); err != nil {
		t.Error(err)
	}
	if found < 199 || found > 210 {
		t.Errorf("%d anchors", found)
	}
}

// TestListOnOneLine: a list is one line of aliases only if each of its elements can stand in it as
// it is.
func TestListOnOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"word": true, "12": true, "true": true, "null": true, `"a b"`: true, "'a: b'": true, "[a]": true, "{a: b}": true,
		"": false, "two words": false, "|-": false, "1.5 kg": false, "yes": false,
	} {
		if got := isFlowScalar(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestLinesOfAValue: a value takes a line at least, also one that stands on the line of its key.
func TestLinesOfAValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lines []string
		want  int
	}{{nil, 1}, {[]string{"a"}, 1}, {[]string{"a", "b"}, 2}} {
		if got := (&block{lines: tt.lines}).lineCount(); got != tt.want {
			t.Errorf("%q: %d lines, want %d", tt.lines, got, tt.want)
		}
	}
}
