package cassette

import (
	"strings"

	"github.com/promptecho/promptecho/internal/codec"
)

// The tools whose cassettes promptecho import reads.
const (
	GoVCR     = "go-vcr"
	VCRpy     = "vcrpy"
	RubyVCR   = "ruby VCR"
	HTTPRR    = "httprr"
	AgentTape = "AgentTape"
)

// httprrLine is the first line of every file of httprr.
const httprrLine = "httprr trace v1"

// Foreign returns the tool that has written a cassette, by its text, or "" if the text is
// no cassette of another tool. It reads nothing but the keys that the tools have and
// promptecho has not.
func Foreign(text string) (tool string) {
	text = strings.TrimPrefix(text, "\ufeff")
	if rest, ok := strings.CutPrefix(text, httprrLine); ok && strings.HasPrefix(strings.TrimPrefix(rest, "\r"), "\n") {
		return HTTPRR
	}
	if strings.HasPrefix(text, "{") {
		return foreignJSON(text)
	}
	if recorded(text) {
		return ""
	}
	part, members, items := "", -1, false // of what part of an interaction the members are read, and their column
	hasRun := false
	for line := range strings.Lines(text) {
		content := strings.TrimLeft(line, " -")
		column := len(line) - len(content)
		key, _, ok := strings.Cut(content, ":")
		switch {
		case strings.TrimSpace(content) == "":
		case column == 0 && key == "http_interactions":
			return RubyVCR
		case column == 0 && key == "run_id":
			hasRun = true
		case column == 0 && key == "interactions" && hasRun:
			return AgentTape
		case items && part == "" && key == "kind": // each of ours begins with it
			return ""
		case column == 0:
			items, part = items || key == "interactions", ""
		case ok && items && (key == "request" || key == "response"):
			part, members = key, -1
		case part == "":
		case members < 0:
			members = column
			fallthrough
		case column == members:
			switch {
			case part == "request" && key == "uri":
				return VCRpy
			case part == "response" && key == "code":
				return GoVCR
			}
		}
	}
	return ""
}

// foreignJSON is [Foreign] for cassettes that a tool was told to write as JSON.
func foreignJSON(text string) (tool string) {
	switch {
	case strings.Contains(text, `"http_interactions"`):
		return RubyVCR
	case !strings.Contains(text, `"interactions"`):
		return ""
	case strings.Contains(text, `"run_id"`) && strings.Contains(text, `"agenttape_version"`):
		return AgentTape
	case strings.Contains(text, `"uri"`):
		return VCRpy
	case strings.Contains(text, `"code"`):
		return GoVCR
	}
	return ""
}

// notOurs returns the error for the cassette of another tool, and nil for any other text.
func notOurs(name, text string) *codec.SyntaxError {
	tool := Foreign(text)
	if tool == "" {
		return nil
	}
	err := codec.ErrorAt(name, text, 0, "", "this is a cassette of %s; to convert it: go run github.com/promptecho/promptecho/cmd/promptecho@latest import -w %s", tool, name)
	err.Elsewhere = true
	return err
}
