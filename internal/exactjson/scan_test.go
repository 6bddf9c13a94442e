package exactjson

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tokens returns the tokens of text, those of strings as they are written, and the text
// behind the last one.
func tokens(text string) (found []string, rest string) {
	s := Scan(text)
	end := 0
	for s.Next() {
		end = s.End
		path := strings.Join(s.Path, "/")
		found = append(found, fmt.Sprint([]string{"", "open ", "close ", "name "}[s.Token], path, " ", text[s.Start:s.End]))
	}
	return found, text[end:]
}

func TestScan(t *testing.T) {
	t.Parallel()
	got, rest := tokens("{\"a\": [1.5, {\"b\\n\":\"x\\\"\"}, null],\n\"c\" : \"\\q\xff\n\"}\n true [] x")
	want := []string{
		"open  {", "name a \"a\"", "open a/ [", "a/ 1.5", "open a// {", `name a//b\n "b\n"`, `a//b\n "x\""`, "close a/ }", "a/ null", "close a ]",
		"name c \"c\"", "c \"\\q\xff\n\"", "close  }", " true", "open  [", "close  ]",
	}
	if !slices.Equal(got, want) || rest != " x" {
		t.Errorf("got\n%q, rest %q, want\n%q", got, rest, want)
	}
	for text, want := range map[string]int{
		``: 0, `1 2`: 2, `[1,]`: 2, `[1 2]`: 2, `{"a":1,}`: 3, `{a`: 1, `{"a" 1`: 2, `"a`: 0, `["a\`: 1, `["a\"]`: 1, `01`: 2, `nul`: 0, `]`: 0, "\x00": 0, "[1\x00": 2,
		strings.Repeat("[", 1001): 1000,
	} {
		if got, _ := tokens(text); len(got) != want {
			t.Errorf("%.40q: %d tokens, want %d: %q", text, len(got), want, got)
		}
	}
}
