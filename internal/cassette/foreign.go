package cassette

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
)

// A Tool is a program that writes cassettes of its own; its text is the name
// that users know it by.
type Tool string

// The tools whose cassettes promptecho import reads.
const (
	GoVCR     Tool = "go-vcr"
	VCRpy     Tool = "vcrpy"
	RubyVCR   Tool = "ruby VCR"
	HTTPRR    Tool = "httprr"
	AgentTape Tool = "AgentTape"
)

// signs are what tells the cassettes of a tool: keys that it has and promptecho has not, in the
// columns in which it writes them, and in JSON if it was told to write that. An expression takes
// long for a large text, so it is tried only where the key is.
var signs = []struct {
	tool         Tool
	key, pattern string
}{
	{"", "- kind:", `(?m)^interactions:\r?\n *- kind:`}, // each of ours begins with it
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

// members leads to the members of requests and responses, in a list that is indented or not.
const members = `(?ms)^interactions:[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\n)*(?:-.*^    |  -.*^      |    -.*^(?:  )?        )`

// Foreign returns the tool that has written a cassette, by its text, or "" if the text is
// no cassette of another tool.
func Foreign(text string) Tool {
	text = strings.TrimPrefix(text, "\ufeff")
	if recorded(text) {
		return ""
	}
	for _, sign := range signs {
		if strings.Contains(text, sign.key) && regexp.MustCompile(sign.pattern).MatchString(text) {
			return sign.tool
		}
	}
	return ""
}

// Recorded reports whether a text is a cassette of ours, which no other tool has written.
func Recorded(text string) bool { return recorded(strings.TrimPrefix(text, "\ufeff")) }

// notOurs returns the error for the cassette of another tool, and nil for any other text.
func foreignError(name, text string) *codec.SyntaxError {
	tool := Foreign(text)
	if tool == "" {
		return nil
	}
	err := codec.ErrorAt(name, text, 0, "", "this is a cassette of %s; to convert it: go run "+
		"github.com/promptecho/promptecho/cmd/promptecho@latest import -w %s", tool, name)
	err.Elsewhere = true
	return err
}
