package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/promptecho/promptecho/internal/memo"
)

// Placeholder stands where a secret was.
const Placeholder = "[REDACTED]"

// openPlaceholder is how every placeholder starts, with a hash or without.
const openPlaceholder = "[REDACTED"

const placeholderExpr = `\[REDACTED(-[0-9a-f]{8})?\]`

var (
	onlyPlaceholder = memo.Regexp(`^` + placeholderExpr + `$`)
	anyPlaceholder  = memo.Regexp(placeholderExpr)
	lastPlaceholder = memo.Regexp(placeholderExpr + `$`)
)

// hashed stands for a value that may be a secret, and tells it from others.
func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return openPlaceholder + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// endsInPlaceholder reports whether a text ends with what stands for a value.
func endsInPlaceholder(text []byte) bool {
	const longest = len(openPlaceholder) + len("-00000000]")
	return lastPlaceholder().Match(text[max(0, len(text)-longest):])
}

// isHidden reports whether a value is hidden already: by us, or by the server that echoes
// a secret. OpenAI's Responses say "<redacted>".
func isHidden(value []byte) bool {
	return onlyPlaceholder().Match(value) || bytes.EqualFold(value, []byte("<redacted>")) ||
		len(bytes.Trim(value, "*")) == 0
}

// holdsPlaceholder reports whether a value that a pattern of the user's matches, or a part
// of it, is redacted already.
func holdsPlaceholder(value []byte) bool {
	return len(value) == 0 || bytes.Contains(value, []byte(openPlaceholder))
}

// An edit is a part of a text and what is written in its place.
type edit struct {
	start, end int
	text       string
}

// splice returns b with the edits made; they are in order and do not overlap. It returns
// b itself if there are none and never changes it.
func splice(b []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return b
	}
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, b[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, b[at:]...)
}

// replaceMatches returns b with the first group of every match of an expression replaced
// by what replace makes of it, or all of the match if there is no group.
func replaceMatches(re *regexp.Regexp, b []byte, replace func(value []byte) string) []byte {
	var edits []edit
	group := min(re.NumSubexp(), 1)
	for _, m := range re.FindAllSubmatchIndex(b, -1) {
		start, end := m[2*group], m[2*group+1]
		if start < 0 {
			continue
		}
		if text := replace(b[start:end]); text != string(b[start:end]) {
			edits = append(edits, edit{start, end, text})
		}
	}
	return splice(b, edits)
}

// redactMatches is replaceMatches with a placeholder for each value but those that stay.
func redactMatches(re *regexp.Regexp, b []byte, stays func(value []byte) bool) []byte {
	return replaceMatches(re, b, func(value []byte) string {
		if stays(value) {
			return string(value)
		}
		return Placeholder
	})
}
