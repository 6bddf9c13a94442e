package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// Placeholder stands where a secret was.
const Placeholder = "[REDACTED]"

// openPlaceholder is how every placeholder starts, with a hash or without.
const openPlaceholder = "[REDACTED"

// typedExpr matches stand-ins that are typed, but for keys and numbers: those in base64 by what
// the placeholder is there at the three places where it can begin.
const typedExpr = `\beyJ[\w-]*\.[\w-]*\.REDACTED\b|\b(?i:effaced0)(?:-0000-4000-(?i:a)000-0{12}|[0a-fA-F]*)|` +
	`[\w+/-]*(?:W1JFREFDVEVEX|tSRURBQ1RFRF|bUkVEQUNURUR|REDACTEDREDACTED)[\w+/-]*={0,2}`

const placeholderExpr = `\[REDACTED(-[0-9a-f]{8})?\]`

var (
	onlyPlaceholder = memo.Regexp(`^` + placeholderExpr + `$`)
	anyPlaceholder  = memo.Regexp(placeholderExpr + `|` + typedExpr)
	anyTyped        = memo.Regexp(typedExpr)
	onlyTyped       = memo.Regexp(`^(?:` + typedExpr + `)$`)
	lastPlaceholder = memo.Regexp(placeholderExpr + `$`)
)

// hashed stands for a value that may be a secret, and tells it from others.
func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return openPlaceholder + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// own is written for the placeholder where the program sends that itself, as a scrubber of personal data may: in a
// recording, it stands for no other text.
var own = hashed(Placeholder)

// Own returns the body of a request with the placeholders that it has before it is redacted as the program's own.
// [Disown] takes them for those of an answer, which the program sends back.
func Own(body []byte) []byte { return replaced(body, Placeholder, own) }

// Disown undoes [Own].
func Disown(body []byte) []byte { return replaced(body, own, Placeholder) }

// replaced is bytes.ReplaceAll, without a copy if there is nothing to replace.
func replaced(b []byte, old, new string) []byte {
	if !bytes.Contains(b, []byte(old)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(old), []byte(new))
}

// StandsIn reports whether something in a text stands for a secret.
func StandsIn(text string) bool { return anyPlaceholder().MatchString(text) }

// CountPlaceholders returns how many values stand redacted in a text.
func CountPlaceholders(text []byte) int { return len(anyPlaceholder().FindAllIndex(text, -1)) }

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

// editScalars returns JSON text with each of its scalars, a string without its quotes, replaced by
// what change makes of it. It stops at what is not JSON.
func editScalars(b []byte, change func(path []string, kind exactjson.Kind, value string) string) []byte {
	text := string(b)
	var edits []edit
	for s := exactjson.Scan(text); s.Next(); {
		start, end := s.Start, s.End
		if s.Kind == exactjson.String {
			start, end = start+1, end-1
		}
		if s.Token != exactjson.Scalar || len(s.Path) == 0 {
			continue
		}
		if out := change(s.Path, s.Kind, text[start:end]); out != text[start:end] {
			edits = append(edits, edit{start, end, out})
		}
	}
	return splice(b, edits)
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

// A hider returns what is written in the place of a secret.
type hider func(secret []byte) string

// plainly returns the placeholder of a request, which is only read and compared: it is the same
// whoever asks, whatever type their secret has.
func plainly([]byte) string { return Placeholder }
