package diff

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// isFile reports whether an object stands for the content of a file.
func isFile(n *node) bool {
	return len(n.kids) == 3 && n.kids[0].name == "bytes" && n.kids[1].name == "ext" && n.kids[2].name == "sha256"
}

// file describes the file that an object stands for: ".wav, 11 bytes, sha256 7f4ed1ab…".
func file(n *node) *node {
	ext, _ := exactjson.Unquote(n.kids[1].value)
	sum, _ := exactjson.Unquote(n.kids[2].value)
	if ext == "" {
		ext = "no extension"
	}
	value := quote(ext + ", " + n.kids[0].value + " bytes, sha256 " + sum[:min(8, len(sum))] + "…")
	return &node{path: n.path, value: value}
}

// NameFiles gives an edit that replaces a file the names of both files, where they have
// one, in place of their extensions.
func (e *Edit) NameFiles(recorded, incoming func(path string) string) {
	if e.Note != fileNote {
		return
	}
	for value, name := range map[*string]string{&e.Recorded: recorded(cmp.Or(e.From, e.Path)), &e.Incoming: incoming(e.Path)} {
		if text, _ := exactjson.Unquote(*value); name != "" {
			_, rest, _ := strings.Cut(text, ", ")
			*value = quote(name + ", " + rest)
		}
	}
}

// maxText is the length up to which bodies are compared as texts.
const maxText = 1 << 20

// CompareBodies replaces the digests of an edit of two bodies by the bodies, if they are
// texts. It names what is wrong with one that should be JSON.
func (e *Edit) CompareBodies(recorded, incoming []byte) {
	isText := func(body []byte) bool {
		return len(body) <= maxText && utf8.Valid(body) && !strings.ContainsRune(string(body), 0)
	}
	if e.Path != "body" || !strings.Contains(e.Recorded+e.Incoming, `"sha256:`) || !isText(recorded) || !isText(incoming) {
		return
	}
	e.Recorded, e.Incoming = quote(string(recorded)), quote(string(incoming))
	e.Note = textNote(e.Recorded, e.Incoming, theRequest)
	for _, side := range []struct {
		name string
		body []byte
	}{{"the recording", recorded}, {theRequest, incoming}} {
		var syntax *json.SyntaxError
		trimmed := strings.TrimSpace(string(side.body))
		if trimmed != "" && strings.Contains("{[", trimmed[:1]) && errors.As(json.Unmarshal(side.body, new(any)), &syntax) {
			e.Note = fmt.Sprintf("%s is no JSON: %v, at byte %d", side.name, syntax, syntax.Offset)
		}
	}
}

// Brief writes a JSON value in a few words.
func Brief(value string) string {
	const most = 60
	if s, ok := exactjson.Unquote(value); ok {
		return textSummary(s, 0, most)
	}
	return shorten(escape(value, 0), most)
}

// Values writes what an edit changes in one line: both values, from shortly before their
// first difference, or what was added or removed.
func (e *Edit) Values() string {
	if side := e.onlyIn(); side != "" {
		return "only in " + side + ": " + Brief(e.Recorded+e.Incoming)
	}
	if e.List() != "" {
		return "only the order differs"
	}
	a, aIsText := exactjson.Unquote(e.Recorded)
	b, bIsText := exactjson.Unquote(e.Incoming)
	if !aIsText || !bIsText {
		return "recorded " + Brief(e.Recorded) + ", incoming " + Brief(e.Incoming)
	}
	from := beforeDifference(a, b)
	return "recorded " + textSummary(a, from, shortText/2) + ", incoming " + textSummary(b, from, shortText/2)
}
