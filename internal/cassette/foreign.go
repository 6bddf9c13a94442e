package cassette

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// A Tool is another program that records HTTP calls in cassettes. Its value is the name for
// messages.
type Tool string

// The tools whose cassettes promptecho import reads.
const (
	GoVCR     Tool = "go-vcr"
	VCRpy     Tool = "vcrpy"
	RubyVCR   Tool = "ruby VCR"
	HTTPRR    Tool = "httprr"
	AgentTape Tool = "AgentTape"
)

// toolPatterns tell which tool has written a text. The first one that matches counts. The patterns
// look for keys that promptecho does not write, in the columns in which the tool writes them,
// and then for the JSON that some tools can write. A regular expression is slow on a large text,
// so a pattern is tried only if the text contains key.
var toolPatterns = []struct {
	tool         Tool // "" for promptecho
	key, pattern string
}{
	{"", "- kind:", `(?m)^interactions:\r?\n *- kind:`},
	{HTTPRR, "httprr trace v1", `^httprr trace v1\r?\n`},
	{RubyVCR, "http_interactions:", `(?m)^http_interactions:`},
	{AgentTape, "run_id:", `(?ms)^run_id:.*^interactions:`},
	{VCRpy, " uri:", members + `uri:`},
	{GoVCR, " code:", members + `code:`},
	{RubyVCR, `"http_interactions"`, `(?s)^\s*\{.*"http_interactions"`},
	{AgentTape, `"agenttape_version"`, `(?s)^\s*\{.*"agenttape_version".*"interactions"`},
	{VCRpy, `"uri"`, `(?s)^\s*\{.*"interactions".*"uri"`},
	{GoVCR, `"code"`, `(?s)^\s*\{.*"interactions".*"code"`},
}

// members matches a text up to a key of a request or a response in the list of interactions. The
// items of the list are indented by 0, 2 or 4 columns; comments and empty lines may be above.
const members = `(?ms)^interactions:[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\n)*` +
	`(?:-.*^    |  -.*^      |    -.*^(?:  )?        )`

// Foreign returns the tool that has written the text of a cassette. It returns "" for a cassette
// of promptecho and for any other text.
func Foreign(text string) Tool {
	text = strings.TrimPrefix(text, "\ufeff")
	if recorded(text) {
		return ""
	}
	for _, p := range toolPatterns {
		if strings.Contains(text, p.key) && regexp.MustCompile(p.pattern).MatchString(text) {
			return p.tool
		}
	}
	return ""
}

// Recorded reports whether promptecho has written a text, by its first line or its seals. The
// text may begin with a byte order mark.
func Recorded(text string) bool { return recorded(strings.TrimPrefix(text, "\ufeff")) }

// foreignError returns an error that says how to convert the cassette of another tool, and nil for
// any other text.
func foreignError(name, text string) *codec.SyntaxError {
	tool := Foreign(text)
	if tool == "" {
		return nil
	}
	err := codec.ErrorAt(name, text, 0, "", "this is a cassette of %s; to convert it: go run "+
		"github.com/promptecho/promptecho/cmd/promptecho@latest import -w %s", tool, name)
	err.FileIntact = true
	return err
}
