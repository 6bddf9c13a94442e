package cassette

import (
	"errors"
	"strings"
	"testing"
)

// The cassettes of other tools, as short as they can be, and what looks like them.
var foreignTexts = []struct {
	text string
	tool Tool
}{
	{"---\nversion: 1\ninteractions:\n- request:\n    body: \"\"\n    url: https://h/\n  response:\n    body: x\n    code: 200\n", GoVCR},
	{"---\r\nversion: 2\r\ninteractions:\r\n    - id: 0\r\n      request:\r\n        url: https://h/\r\n      response:\r\n        body: |\r\n            uri: x\r\n        code: 200\r\n", GoVCR},
	{"interactions:\n- request:\n    body: '{\"code\":\n      1}'\n    uri: https://h/\n  response:\n    status:\n      code: 200\nversion: 1\n", VCRpy},
	{"\ufeff---\nhttp_interactions:\n- request:\n    uri: https://h/\n", RubyVCR},
	{`{"http_interactions":[],"recorded_with":"VCR 6.3.1"}`, RubyVCR},
	{`{"version": 1, "interactions": [{"request": {"uri": "https://h/"}}]}`, VCRpy},
	{"interactions:\n\n# first\n- request:\n    uri: https://h/\n  response:\n    status:\n      code: 200\nversion: 1\n", VCRpy},
	{"\n{\"version\": 1, \"interactions\": [{\"request\": {\"uri\": \"https://h/\"}}]}", VCRpy},
	{"httprr trace v1\n", HTTPRR},
	{"httprr trace v1\r\n1 1\r\nab", HTTPRR},
	{"version: '1'\ncreated_at: '2026-06-17T12:00:00'\nrun_id: a\nmeta: {}\ninteractions: []\n", AgentTape},
	{`{"version": "1", "run_id": "a", "meta": {"agenttape_version": "0.1.5"}, "interactions": [{"request": {"uri": 1}}]}`, AgentTape},

	{"", ""},
	{"run_id: a\njobs: []\n", ""},
	{"httprr trace v2\n", ""},
	{"version: 1\ninteractions:\n  - request: {method: GET, url: \"https://h/\"}\n    response: {status: 200, code: 1}\n", ""},
	{"version: 1\ninteractions:\n  - request:\n      method: GET\n      url: https://h/\n      body:\n        uri: a\n    response:\n      status: 200\n      body:\n        code: 1\n", ""},
	{header + "version: 1\ninteractions:\n  - request:\n      uri: a\n", ""},
	{"services:\n  request:\n    uri: a\n  response:\n    code: 1\n", ""},
	{`{"interactions": []}`, ""},
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, tt := range foreignTexts {
		if got := Foreign(tt.text); got != tt.tool {
			t.Errorf("%q is of %q, want %q", tt.text, got, tt.tool)
		}
	}
}

// Whoever opens the cassette of another tool is told of which, and how to convert it. A
// cassette of ours that is broken is never taken for another tool's.
func TestForeignIsNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range foreignTexts {
		_, err := Parse("c.yaml", []byte(tt.text), nil)
		var syntax *SyntaxError
		if tt.tool != "" && (!errors.As(err, &syntax) || syntax.Incomplete || err.Error() !=
			"c.yaml:1:1: this is a cassette of "+string(tt.tool)+"; to convert it: go run github.com/promptecho/promptecho/cmd/promptecho@latest import -w c.yaml") {
			t.Errorf("%q: %v", tt.text, err)
		}
		if tt.tool == "" && err != nil && strings.Contains(err.Error(), "convert") {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

// A text that promptecho has written is known by its first line, whatever is below, and by its seals.
func TestRecordedByPromptecho(t *testing.T) {
	t.Parallel()
	written, _, err := Format(withKeys(fileOf("a")))
	if err != nil {
		t.Fatal(err)
	}
	_, withoutHead, _ := strings.Cut(string(written), "\n")
	for text, want := range map[string]bool{
		string(written):            true,
		"\ufeff" + string(written): true,
		withoutHead:                true,
		header + "broken: [":       true,
		"":                         false,
		"version: 1\n":             false,
	} {
		if got := Recorded(text); got != want {
			t.Errorf("%.80q: %v, want %v", text, got, want)
		}
	}
	for _, tt := range foreignTexts {
		if tt.tool != "" && Recorded(tt.text) {
			t.Errorf("a cassette of %s is taken for one of promptecho: %q", tt.tool, tt.text)
		}
	}
}
