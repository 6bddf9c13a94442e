package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
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
	onlyTyped       = memo.Regexp(`^(?:` + typedExpr + `)$`)

	// typedInRequest matches what a request has where an answer had a placeholder, in the
	// first group if there is one. In base64 that is not a placeholder alone, the
	// placeholder is found once the base64 is decoded.
	typedInRequest = memo.Regexp(`\beyJ[\w-]*\.[\w-]*\.REDACTED\b|\b(?i:effaced0)(?:-0000-4000-(?i:a)000-0{12}|[0a-fA-F]*)|` +
		`\b(?:REDACTED){2}[\w+/-]*={0,2}|\bW1JFREFDVEVEX(?:Q={0,2}|S4=?|S4u)(?:[^\w+/=-]|$)|://(?:[^:@/?#\s"'<>]*:)?(REDACTED)[@/:.]`)
)

// placeholderLength returns the length of the placeholder with which a text begins, with a hash
// or without, or 0.
func placeholderLength(text string) int {
	rest, ok := strings.CutPrefix(text, openPlaceholder)
	if !ok {
		return 0
	}
	const hash = len("-00000000")
	hasHash := len(rest) > hash && rest[0] == '-' && runEnd(rest[:hash], 1, hexLower) == hash
	if hasHash {
		rest = rest[hash:]
	}
	if !strings.HasPrefix(rest, "]") {
		return 0
	}
	return len(text) - len(rest) + 1
}

// mayHaveTyped reports whether a text may have what typedExpr or typedOfAnswers matches. It
// takes a hundredth of their time, and nearly no text has any.
func mayHaveTyped(text string) bool {
	return slices.ContainsFunc(typedMarks, func(mark string) bool { return strings.Contains(text, mark) })
}

// typedMarks are the texts of which every typed stand-in has one.
var typedMarks = []string{"REDACTED", "effaced0", "EFFACED0", "W1JFREFDVEVEX", "tSRURBQ1RFRF", "bUkVEQUNURUR"}

// hashed stands for a value that may be a secret, and tells it from others.
func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return openPlaceholder + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// ownPlaceholder is written for the placeholder where the program sends that itself, as a scrubber of personal data may: in a
// recording, it stands for no other text.
var ownPlaceholder = hashed(Placeholder)

// MarkOwn returns the body of a request with the placeholders that it has before it is redacted as the program's own.
// [Disown] takes them for those of an answer, which the program sends back.
func MarkOwn(body []byte) []byte { return replaceInBytes(body, Placeholder, ownPlaceholder) }

// UnmarkOwn undoes [Own].
func UnmarkOwn(body []byte) []byte { return replaceInBytes(body, ownPlaceholder, Placeholder) }

// replaceInBytes is bytes.ReplaceAll, without a copy if there is nothing to replace.
func replaceInBytes(b []byte, old, new string) []byte {
	if !bytes.Contains(b, []byte(old)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(old), []byte(new))
}

// HasPlaceholder reports whether something in a text stands for a secret.
func HasPlaceholder(text string) bool { return anyPlaceholder().MatchString(text) }

// CountPlaceholders returns how many values are redacted in a text, however it is encoded.
func CountPlaceholders(text string) int {
	w := &carrier.Walker{Find: func(l *carrier.Leaf) []carrier.Match {
		var found []carrier.Match
		for _, m := range anyPlaceholder().FindAllStringIndex(l.Text, -1) {
			found = append(found, carrier.Match{Start: m[0], End: m[1]})
		}
		return found
	}}
	edits, err := w.Edits(text, carrier.Place{})
	if err != nil {
		return len(anyPlaceholder().FindAllStringIndex(text, -1))
	}
	n := 0
	for _, e := range edits {
		n += len(e.Causes)
	}
	return n
}

// endsInPlaceholder reports whether a text ends with what stands for a value.
func endsInPlaceholder(text string) bool {
	if !strings.HasSuffix(text, "]") {
		return false
	}
	const longest = len(openPlaceholder) + len("-00000000]")
	text = text[max(0, len(text)-longest):]
	i := strings.LastIndexByte(text, '[')
	return i >= 0 && placeholderLength(text[i:]) == len(text)-i
}

// isRedacted reports whether a value is hidden already: by us, or by the server that echoes
// a secret. OpenAI's Responses say "<redacted>".
func isRedacted(value string) bool {
	isOurs := value != "" && placeholderLength(value) == len(value)
	return isOurs || strings.EqualFold(value, "<redacted>") || strings.Trim(value, "*") == ""
}

// editScalars returns JSON text with each of its scalars, a string without its quotes, replaced by
// what change makes of it. It stops at what is not JSON.
func editScalars(text string, change func(path []string, kind exactjson.Kind, value string) string) string {
	var edits []carrier.Edit
	for s := exactjson.Scan(text); s.Next(); {
		start, end := s.Start, s.End
		if s.Kind == exactjson.String {
			start, end = start+1, end-1
		}
		if s.Token != exactjson.Scalar || len(s.Path) == 0 {
			continue
		}
		if out := change(s.Path, s.Kind, text[start:end]); out != text[start:end] {
			edits = append(edits, carrier.Edit{Start: start, End: end, Text: out})
		}
	}
	return carrier.Splice(text, edits)
}
