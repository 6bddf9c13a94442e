package foreign

import (
	"bytes"
	"regexp"
	"strings"
)

// writeOutKey replaces the explicit key whose question mark is at an offset by a key in front of a
// colon. It returns where the key ends, or -1 if it has changed nothing. PyYAML writes explicit keys of
// more than 128 characters, and keys that are objects:
//
//	? a long key            a long key:
//	: value                   value
//
//	? !!python/object/new:multidict._multidict.istr
//	- Accept                  Accept:
//	: - application/json        - application/json
//
// The second key is of a subclass of str: the only element of the list is its text. out is the text in
// which tags are replaced by spaces, text still has them. The length of out stays the same, so that all
// offsets do. A key of several lines, and one that is a collection, is not changed, and package yaml
// refuses it.
func writeOutKey(out []byte, text string, at int) (keyEnd int) {
	column := at - lineStart(out, at)
	if len(bytes.Trim(out[at-column:at], " -:")) > 0 {
		return -1
	}
	keyStart, keyEnd := at+1, endOfLine(out, at)
	if len(bytes.TrimSpace(out[keyStart:keyEnd])) == 0 {
		dash := contentAt(out, keyEnd+1)
		isElement := dash-lineStart(out, dash) == column && bytes.HasPrefix(out[dash:], []byte("- "))
		isObject := strings.HasPrefix(strings.TrimSpace(text[keyStart:keyEnd]), "!!python/object")
		if !isElement || !isObject {
			return -1
		}
		keyStart, keyEnd = dash+1, endOfLine(out, dash)
	}
	colon := contentAt(out, keyEnd+1)
	isValue := colon < len(out) && out[colon] == ':' && colon-lineStart(out, colon) == column
	key := bytes.Clone(bytes.TrimSpace(out[keyStart:keyEnd]))
	if !isValue || !oneLineKey.Match(key) {
		return -1
	}
	for i := at; i < keyEnd; i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	copy(out[keyStart-1:], append(key, ':'))
	out[colon] = ' '
	return keyEnd
}

// oneLineKey matches a text in quotes, and plain text that is one key and nothing else.
var oneLineKey = regexp.MustCompile(`^(?:` +
	`"(?:[^"\\]|\\.)*"|` +
	`'(?:[^']|'')*'|` +
	`[^\s\-?:,\[\]{}#&*!|>'"%@\x60](?:[^:#]|:\S|\S#)*` +
	`)$`)

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

func endOfLine(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// contentAt returns the offset of the first character at or behind an offset that is not a space;
// len(text) if there is none.
func contentAt(text []byte, at int) int {
	at = min(at, len(text))
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " "))
}
