package diff

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// shortText is the most bytes of a value that is shown as a whole. Of a longer one, only the
// changes are shown.
const shortText = 100

// summary returns a JSON value on one line, shortened if it is long.
func summary(value string) string {
	if s, ok := exactjson.Unquote(value); ok {
		return textSummary(s, 0, 160)
	}
	const maxJSON, maxString = 320, 80
	var b strings.Builder
	for rest := value; rest != "" && b.Len() <= maxJSON; {
		literal, err := strconv.QuotedPrefix(rest)
		if err != nil { // rest does not begin with a string
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if s, ok := exactjson.Unquote(literal); ok {
			b.WriteString(textSummary(s, 0, maxString))
		} else {
			b.WriteString(shorten(escape(literal, false), maxString))
		}
		rest = rest[len(literal):]
	}
	if b.Len() <= maxJSON+maxJSON/4 {
		return b.String()
	}
	return cutAfter(b.String(), maxJSON) + "… (" + sizeOf(len(value)) + ")"
}

// textSummary returns a text from an offset on, as a JSON string of about n bytes.
func textSummary(s string, from, n int) string {
	if description := describeEncoded(s); description != "" {
		return description
	}
	text := readable(s[from:])
	if from > 0 {
		text = "…" + text
	}
	if cut := shorten(text, n); cut != text {
		return quote(cut) + " (" + sizeOf(len(s)) + ")"
	}
	return quote(text)
}

// shorten cuts s after about n bytes, at the end of a word, and adds an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n+n/4 {
		return s
	}
	return cutAfter(s, n) + "…"
}

// gaps are the characters between words: a text is cut at them, and they are removed there.
const gaps = " \t\r\n,"

// cutAfter returns at most the first n bytes of s, which must be longer, to the end of a word
// if possible.
func cutAfter(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if i := strings.LastIndexAny(s[:n+1], gaps); i > n/2 {
		n = i
	}
	return strings.TrimRight(s[:n], gaps)
}

// cutBefore returns at most the last n bytes of s, which must be longer, from the start of a
// word if possible.
func cutBefore(s string, n int) string {
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	if k := strings.IndexAny(s[i-1:], gaps); k > 0 && k <= n/2 {
		i += k - 1
	}
	return strings.TrimLeft(s[i:], gaps)
}

// sizeOf returns a number of bytes in words: "1,234 bytes".
func sizeOf(n int) string {
	return english.Thousands(n) + " " + english.Plural(n, "byte")
}

// longToken is the number of bytes from which text without white space is taken for encoded
// data, which people do not read.
const longToken = 200

// readable replaces encoded data in a text by descriptions.
func readable(s string) string {
	if len(s) < longToken {
		return s
	}
	return nonBlanks().ReplaceAllStringFunc(s, func(part string) string {
		return cmp.Or(describeEncoded(part), part)
	})
}

// nonBlanks matches text without white space and quotes.
var nonBlanks = memo.Regexp(`[^ \t\r\n"]+`)

// describeEncoded returns a description of encoded data: "<base64, 12,345 bytes, sha256 ab12…>". It
// returns "" for any other text.
func describeEncoded(s string) string {
	if !isEncoded(s) {
		return ""
	}
	media := ""
	head, data, ok := strings.Cut(s, ",")
	isDataURL := ok && strings.HasPrefix(head, "data:") && len(head) < 100
	if isDataURL {
		media = strings.TrimSuffix(head, ";base64") + ", "
		s = data
	}
	kind, raw := decoded(s)
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("<%s%s, %s, sha256 %x…>", media, kind, sizeOf(len(raw)), sum[:4])
}

// isEncoded reports whether a text is encoded data, such as base64: it is long or a data URL, and
// has no blanks, quotes, or characters outside ASCII.
func isEncoded(s string) bool {
	isData := len(s) >= longToken || strings.HasPrefix(s, "data:")
	isProse := func(r rune) bool { return r <= ' ' || r == '"' || r >= 0x80 }
	return isData && !strings.ContainsFunc(s, isProse)
}

// decoded returns the bytes that a text encodes, and the name of the encoding.
func decoded(s string) (kind string, raw []byte) {
	if raw, err := hex.DecodeString(s); err == nil {
		return "hex", raw
	}
	digits := strings.TrimRight(s, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if raw, err := encoding.DecodeString(digits); err == nil {
			return "base64", raw
		}
	}
	return "no blanks", []byte(s)
}

// quote returns s as a JSON string that is a Go string literal, too.
func quote(s string) string { return quoted(s, false) }

func quoted(s string, showHidden bool) string {
	return `"` + escape(quotes.Replace(s), showHidden) + `"`
}

var (
	quotes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)
	breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)
)

// escape returns s on one line. Characters that would break the line or the terminal become
// escape sequences, and so do invisible characters if showHidden is set. Bytes that are not
// UTF-8 are written as \x80.
func escape(s string, showHidden bool) string {
	s = breaks.Replace(s)
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !isBreaking(r) && !(showHidden && isHidden(r)):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isBreaking reports whether a rune is never written to a terminal as it is: control characters,
// line separators, direction overrides (CVE-2021-42574) and the byte order mark.
func isBreaking(r rune) bool {
	isSeparator := r == 0x2028 || r == 0x2029
	isDirection := 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
	return unicode.IsControl(r) || isSeparator || isDirection || r == 0xFEFF
}

// isHidden reports whether a rune is invisible, or looks like a space or like a part of another
// character.
func isHidden(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Cf, unicode.Zs, unicode.M)
}

// wires has the words for the framing of an answer, by the values of canon.Form.Wire.
var wires = map[string]string{
	"whole":       "a plain answer",
	"stream":      "a stream",
	"eventstream": "an AWS event stream",
}

// wireNote returns the kind of difference between two wires.
func wireNote(recorded, incoming string) NoteCode {
	switch {
	case recorded == "whole":
		return StreamAsked
	case incoming == "whole":
		return PlainAnswerAsked
	}
	return OtherStream
}

// WireNote returns the words for the difference between two wires.
func WireNote(recorded, incoming string) string { return noteWords[wireNote(recorded, incoming)] }

// textNote returns the note for two JSON strings whose difference is easy to overlook. For any
// other values it returns the zero Note.
func textNote(recorded, incoming string) Note {
	a, isText := exactjson.Unquote(recorded)
	b, both := exactjson.Unquote(incoming)
	if !isText || !both || a == b {
		return Note{}
	}
	return Note{Code: textNoteCode(a, b)}
}

func textNoteCode(a, b string) NoteCode {
	for _, n := range []struct {
		code      NoteCode
		normalize func(string) string // removes the difference
	}{
		{LineEnds, func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }},
		{SpaceAtEnd, func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }},
		{SpaceAtStart, func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }},
		{SpaceAround, strings.TrimSpace},
		{OnlySpace, func(s string) string { return strings.Join(strings.Fields(s), " ") }},
		{LetterCase, strings.ToLower},
		{LookAlikes, plain},
	} {
		if n.normalize(a) == n.normalize(b) {
			return n.code
		}
	}
	if inOtherOrder(a, b) {
		return OtherOrder
	}
	return NoNote
}

// inOtherOrder reports whether two texts have the same words in another order. Commas, colons
// and semicolons do not belong to a word, since they stay where they are when the entries of a
// printed map or list change places. A text with one of them more or less was edited.
func inOtherOrder(a, b string) bool {
	wordsOfA, marksOfA := wordsAndMarks(a)
	wordsOfB, marksOfB := wordsAndMarks(b)
	if slices.Equal(wordsOfA, wordsOfB) {
		return false
	}
	for _, list := range [][]string{wordsOfA, wordsOfB, marksOfA, marksOfB} {
		slices.Sort(list)
	}
	return slices.Equal(wordsOfA, wordsOfB) && slices.Equal(marksOfA, marksOfB)
}

// wordsAndMarks returns the words of a text, and its commas, colons and semicolons.
func wordsAndMarks(s string) (words, marks []string) {
	isMark := func(r rune) bool { return r == ',' || r == ';' || r == ':' }
	words = strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isMark(r) })
	for _, r := range s {
		if isMark(r) {
			marks = append(marks, string(r))
		}
	}
	return words, marks
}

func lineEnds(s string) string {
	switch strings.Count(s, "\r\n") {
	case 0:
		return "LF"
	case strings.Count(s, "\n"):
		return "CRLF"
	}
	return "both"
}

// plain returns a text as it looks: without invisible characters, with a space for each special
// space, and with the ASCII characters that look like typographic ones.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case unicode.In(r, unicode.Zs):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, lookAlikes.Replace(s))
}

// lookAlikes replaces typographic characters by ASCII. It also composes the accented letters
// of Western Europe as Unicode's NFC does, since macOS file names and some inputs have the
// letter and the accent as two characters.
var lookAlikes = strings.NewReplacer(strings.Fields("… ... ‐ - ‑ - ‒ - – - — - ― - − - " +
	`‘ ' ’ ' ʼ ' ′ ' ‛ ' “ " ” " „ " ‟ " ″ " ` +
	"a\u0300 à a\u0301 á a\u0302 â a\u0303 ã a\u0308 ä a\u030a å A\u0300 À A\u0301 Á A\u0302 Â " +
	"A\u0303 Ã A\u0308 Ä A\u030a Å " +
	"e\u0300 è e\u0301 é e\u0302 ê e\u0308 ë E\u0300 È E\u0301 É E\u0302 Ê E\u0308 Ë " +
	"i\u0300 ì i\u0301 í i\u0302 î i\u0308 ï I\u0300 Ì I\u0301 Í I\u0302 Î I\u0308 Ï " +
	"o\u0300 ò o\u0301 ó o\u0302 ô o\u0303 õ o\u0308 ö " +
	"O\u0300 Ò O\u0301 Ó O\u0302 Ô O\u0303 Õ O\u0308 Ö " +
	"u\u0300 ù u\u0301 ú u\u0302 û u\u0308 ü U\u0300 Ù U\u0301 Ú U\u0302 Û U\u0308 Ü " +
	"c\u0327 ç C\u0327 Ç n\u0303 ñ N\u0303 Ñ y\u0301 ý Y\u0301 Ý y\u0308 ÿ Y\u0308 Ÿ")...)
