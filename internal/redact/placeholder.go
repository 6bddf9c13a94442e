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

// Placeholder is what is written in the place of a secret.
const Placeholder = "[REDACTED]"

// placeholderStart is the beginning of a placeholder, which may go on with a hash.
const placeholderStart = "[REDACTED"

// typedExpr matches typed placeholders, which are written in responses, except for
// private keys and numbers. A placeholder in base64 looks different at each of three
// places where it can begin.
const typedExpr = typedTokenExpr + `|` + typedHexExpr + `|` +
	`[\w+/-]*(?:W1JFREFDVEVEX|tSRURBQ1RFRF|bUkVEQUNURUR|REDACTEDREDACTED)[\w+/-]*={0,2}`

const (
	typedTokenExpr = `\beyJ[\w-]*\.[\w-]*\.REDACTED\b`
	typedHexExpr   = `\b(?i:effaced0)(?:-0000-4000-(?i:a)000-0{12}|[0a-fA-F]*)` // a UUID, too
)

const placeholderExpr = `\[REDACTED(-[0-9a-f]{8})?\]`

var (
	onlyPlaceholder = memo.Regexp(`^` + placeholderExpr + `$`)
	anyPlaceholder  = memo.Regexp(placeholderExpr + `|` + typedExpr)
	onlyTyped       = memo.Regexp(`^(?:` + typedExpr + `)$`)

	// typedInRequest matches a typed placeholder that a program has from a response and
	// sends in a request: all of the match, or its first group. In base64 of a longer
	// text, the placeholder is found once the base64 is decoded.
	typedInRequest = memo.Regexp(typedTokenExpr + `|` + typedHexExpr + `|` +
		`\b(?:REDACTED){2}[\w+/-]*={0,2}|` +
		`\bW1JFREFDVEVEX(?:Q={0,2}|S4=?|S4u)(?:[^\w+/=-]|$)|` +
		`://(?:[^:@/?#\s"'<>]*:)?(REDACTED)[@/:.]`)
)

// placeholderLength returns the length of the placeholder with which a text begins, or 0.
// The placeholder may have a hash. It is not a typed one.
func placeholderLength(text string) int {
	rest, ok := strings.CutPrefix(text, placeholderStart)
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

// mayHaveTyped reports whether a text may have a typed placeholder. Nearly no text has
// one, and this takes a hundredth of the time of typedExpr or typedInRequest.
func mayHaveTyped(text string) bool {
	isInText := func(mark string) bool { return strings.Contains(text, mark) }
	return slices.ContainsFunc(typedMarkers, isInText)
}

// typedMarkers are texts. Each typed placeholder contains one of them. The last three are
// "[REDACTED]" in base64, for each of the three places where it can begin.
var typedMarkers = []string{
	"REDACTED", "effaced0", "EFFACED0", "W1JFREFDVEVEX", "tSRURBQ1RFRF", "bUkVEQUNURUR",
}

// hashed returns the placeholder for a value that may be a secret and that distinguishes
// requests: it has a short hash of the value.
func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return placeholderStart + "-" + hex.EncodeToString(sum[:4]) + "]"
}

// ownPlaceholder is written for a placeholder that the program itself sends, for example
// after it has removed personal data. Unlike [Placeholder], it matches no other text.
var ownPlaceholder = hashed(Placeholder)

// MarkOwn marks the placeholders in the body of a request as the program's own. The body
// is not redacted yet.
func MarkOwn(body []byte) []byte { return replaceInBytes(body, Placeholder, ownPlaceholder) }

// UnmarkOwn undoes [MarkOwn], for a program that sends back the placeholders of a
// response.
func UnmarkOwn(body []byte) []byte { return replaceInBytes(body, ownPlaceholder, Placeholder) }

// replaceInBytes is bytes.ReplaceAll, but copies nothing if nothing is replaced.
func replaceInBytes(b []byte, old, new string) []byte {
	if !bytes.Contains(b, []byte(old)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(old), []byte(new))
}

// HasPlaceholder reports whether a text has a plain or a typed placeholder.
func HasPlaceholder(text string) bool { return anyPlaceholder().MatchString(text) }

// CountPlaceholders returns how many placeholders a text has, however they are encoded.
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

// endsInPlaceholder reports whether a text ends with a plain placeholder, which may have
// a hash.
func endsInPlaceholder(text string) bool {
	if !strings.HasSuffix(text, "]") {
		return false
	}
	const longest = len(placeholderStart) + len("-00000000]")
	text = text[max(0, len(text)-longest):]
	i := strings.LastIndexByte(text, '[')
	return i >= 0 && placeholderLength(text[i:]) == len(text)-i
}

// isRedacted reports whether a value is redacted already: it is a plain placeholder, or
// what a server returns instead of a secret. OpenAI's Responses API returns "<redacted>".
func isRedacted(value string) bool {
	isWholePlaceholder := value != "" && placeholderLength(value) == len(value)
	isOnlyStars := strings.Trim(value, "*") == ""
	return isWholePlaceholder || isOnlyStars || strings.EqualFold(value, "<redacted>")
}

// editScalars returns JSON text with each scalar replaced by the result of change. A
// string is passed to change as it is written, without its quotes. What is behind
// invalid JSON stays as it is.
func editScalars(
	text string, change func(path []string, kind exactjson.Kind, value string) string,
) string {
	var edits []carrier.Edit
	for s := exactjson.Scan(text); s.Next(); {
		if s.Token != exactjson.Scalar || len(s.Path) == 0 {
			continue
		}
		start, end := s.Start, s.End
		if s.Kind == exactjson.String {
			start++
			end--
		}
		out := change(s.Path, s.Kind, text[start:end])
		if out != text[start:end] {
			edits = append(edits, carrier.Edit{Start: start, End: end, Text: out})
		}
	}
	return carrier.Splice(text, edits)
}
