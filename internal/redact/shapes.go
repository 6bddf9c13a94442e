package redact

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
)

// A hit is text that looks like a credential.
type hit struct {
	kind       string
	start, end int
}

// Shapes returns the kinds of what looks like a credential in a text, each as
// often as it is there. It shows no value.
func Shapes(text []byte) []string {
	var kinds []string
	for _, h := range shaped(text) {
		kinds = append(kinds, h.kind)
	}
	return kinds
}

// unshape returns b with everything that looks like a credential replaced. It
// returns b itself if there is nothing, and never changes it. A token that ran
// into what was replaced may show only then, so it looks until nothing is left:
// what is clean stays as it is. Each round makes less of what is no placeholder,
// and no hit has one in it.
//
// A place in a list becomes a hash: the request for the next page has it too, and
// must not be the one for the page after that.
func unshape(b []byte) []byte {
	for {
		hits := shaped(b)
		if len(hits) == 0 {
			return b
		}
		var out []byte
		at := 0
		for _, h := range hits {
			out = append(out, b[at:h.start]...)
			if isCursorValue(b, h) {
				out = append(out, hashed(plainly(string(b[h.start:h.end])))...)
			} else {
				out = append(out, Placeholder...)
			}
			at = h.end
		}
		b = append(out, b[at:]...)
	}
}

// isCursorValue reports whether a hit is the whole value of a field or parameter that has
// a place in a list.
func isCursorValue(b []byte, h hit) bool {
	if h.end < len(b) && bytes.IndexByte([]byte("\"'\\&#<> \n"), b[h.end]) < 0 {
		return false
	}
	marks := func(at int, set string) int {
		for at > 0 && strings.IndexByte(set, b[at-1]) >= 0 {
			at--
		}
		return at
	}
	const quotes = "\"'\\ "
	assigned := marks(h.start, quotes)
	name := marks(assigned, ":=")
	if name == assigned {
		return false
	}
	end := marks(name, quotes)
	start := end
	for start > 0 && end-start < 40 && (class[b[start-1]]&(word|dot) != 0 || b[start-1] == '$' || b[start-1] == '@') {
		start--
	}
	return start < end && isCursor(string(b[start:end]))
}

// plainly returns a value that stands in a URL as it reads.
func plainly(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil && strings.Contains(s, "%") {
		return plain
	}
	return s
}

// shaped finds what looks like a credential, in order, without overlap: keys and
// tokens whose format tells whose they are, private keys, and random-looking
// values beside a name, a scheme or an "@" that says what they are. It looks at
// text, not at JSON: a key is found however often the text around it was escaped.
//
// It reads every byte about once: words are found by a table, and only a word
// with a rare beginning or end is looked at further.
func shaped(text []byte) []hit {
	s := search{text: text}
	for i := 0; i < len(text); {
		if class[text[i]]&word == 0 {
			switch text[i] {
			case ':', '~':
				i = s.mark(i)
			default:
				i++
			}
			continue
		}
		start := i
		for i++; i < len(text) && class[text[i]]&word != 0; i++ {
		}
		if next := s.word(start, i); next > 0 {
			i = next
		}
	}
	return s.found
}

type search struct {
	text  []byte
	found []hit
}

// add notes a hit and returns where to go on. What touches another hit is none:
// it stood in the middle of a word, and must not become one because its
// neighbour was replaced.
func (s *search) add(kind string, start, end int) int {
	n := len(s.found)
	if n > 0 && s.found[n-1].end >= start || replacedBefore(s.text[:start]) || bytes.HasPrefix(s.text[end:], []byte(openPlaceholder)) {
		return 0
	}
	s.found = append(s.found, hit{kind, start, end})
	return end
}

// replacedBefore reports whether a text ends with what stands for a value.
func replacedBefore(text []byte) bool {
	const hash = len(openPlaceholder) + len("-00000000]")
	return bytes.HasSuffix(text, []byte(Placeholder)) || len(text) >= hash && text[len(text)-1] == ']' && placeholder().Match(text[len(text)-hash:])
}

// word looks at the word text[start:end] and what follows it. It returns the
// end of the hit it found there, or 0.
func (s *search) word(start, end int) int {
	text := s.text
	at := start
	if start > 0 && (text[start-1] == '\\' || text[start-1] == '%') {
		at = afterEscape(text, start)
	}
	if start+1 < len(text) && heads[pair(text[start], text[start+1])] != 0 {
		if next := s.prefixed(start); next > 0 {
			return next
		}
	}
	if at != start {
		if next := s.prefixed(at); next > 0 {
			return next
		}
	}
	switch n := end - at; {
	case n >= 3 && end < len(text) && tails[pair(text[end-2], text[end-1])]:
		return s.named(at, end)
	case n >= 84 && n <= 86:
		if isAzureKey(text[at:end]) {
			return s.add("Azure API key", at, at+84)
		}
	case n >= 24 && n <= 32 && end < len(text) && text[end] == '.':
		return s.dotted(at, end)
	}
	return 0
}

// afterEscape returns where a word begins whose first bytes belong to an
// escape: n in "\nsk-...", u0026 in "\u0026sig=...", 3D in "%3Dsk-...".
func afterEscape(text []byte, start int) int {
	if text[start-1] == '%' {
		if start+2 < len(text) && class[text[start]]&hexAny != 0 && class[text[start+1]]&hexAny != 0 {
			return start + 2
		}
		return start
	}
	switch text[start] {
	case 'n', 'r', 't', 'b', 'f':
		return start + 1
	case 'u':
		if start+5 < len(text) && run(text[:start+5], start+1, hexAny) == start+5 {
			return start + 5
		}
	}
	return start
}

// edge reports whether a word can begin at a place: at the start of the text,
// after what is no part of a word, or after an escape.
func edge(text []byte, at int, chars charset) bool {
	if at == 0 || class[text[at-1]]&chars == 0 {
		return true
	}
	for _, n := range []int{1, 2, 5} {
		if at > n && (text[at-n-1] == '\\' || text[at-n-1] == '%') && afterEscape(text, at-n) == at {
			return true
		}
	}
	return false
}

// prefixed looks for a format whose prefix stands at a place. In the middle of
// base64, where "+" and "/" only look like the edge of a word, there is none.
func (s *search) prefixed(at int) int {
	text := s.text
	if at+1 >= len(text) || heads[pair(text[at], text[at+1])] == 0 {
		return 0
	}
	for i := range groups[heads[pair(text[at], text[at+1])]-1] {
		f := &groups[heads[pair(text[at], text[at+1])]-1][i]
		if !bytes.HasPrefix(text[at:], []byte(f.prefix)) {
			continue
		}
		start, end := at, 0
		if f.find != nil {
			start, end = f.find(text, at)
		} else {
			end = f.end(text, at)
		}
		if end > 0 && !inBase64(text[s.lastEnd(at-24):at]) {
			return s.add(f.kind, start, end)
		}
	}
	return 0
}

// end returns the end of the token that begins at a place, or 0.
func (f *format) end(text []byte, at int) int {
	start := at + len(f.prefix)
	end := run(text, start, f.chars)
	for f.chars&dot != 0 && end > start && text[end-1] == '.' {
		end-- // of the sentence
	}
	n := end - start
	if n < f.min || f.max > 0 && n > f.max || elided(text, end) || end < len(text) && class[text[end]]&alnum != 0 {
		return 0
	}
	check := f.check
	if check == nil {
		check = drawn
	}
	if !check(text[start:end]) {
		return 0
	}
	return end
}

// run returns where a run of bytes of the classes ends.
func run(text []byte, at int, chars charset) int {
	for at < len(text) && class[text[at]]&chars != 0 {
		at++
	}
	return at
}

// elided reports whether a value goes on as dots or stars: somebody shortened
// it to show it.
func elided(text []byte, end int) bool {
	rest := text[end:]
	return len(rest) > 0 && rest[0] == '*' || bytes.HasPrefix(rest, []byte("...")) || bytes.HasPrefix(rest, []byte("…")) || bytes.HasPrefix(rest, []byte(`\u2026`))
}

// lastEnd returns a place before which nothing may decide: from, or the end of
// the last hit. What stood in a hit is gone when the text is looked at again.
func (s *search) lastEnd(from int) int {
	if n := len(s.found); n > 0 {
		from = max(from, s.found[n-1].end)
	}
	return max(from, 0)
}

// inBase64 reports whether a word goes on from base64: from 24 bytes of it that
// end in "+" or "/", of both cases.
func inBase64(before []byte) bool {
	n := len(before)
	if n < 24 || before[n-1] != '+' && before[n-1] != '/' {
		return false
	}
	var all charset
	for _, c := range before {
		if class[c]&std64 == 0 {
			return false
		}
		all |= class[c]
	}
	return all&upper != 0 && all&lower != 0
}

// mark looks at a ":" or "~" and returns where to go on.
func (s *search) mark(i int) int {
	next := 0
	switch rest := s.text[i+1:]; {
	case s.text[i] == '~':
		next = s.entraSecret(i)
	case len(rest) < 2:
	case rest[0] == '/' && rest[1] == '/':
		next = s.userinfo(i + 3)
	case bytes.HasPrefix(rest, []byte(`\/\/`)):
		next = s.userinfo(i + 5)
	case rest[0] == 'A' && rest[1] == 'A':
		next = s.telegram(i)
	}
	return max(next, i+1)
}

// entraSecret looks for a client secret of Microsoft Entra: three characters, a
// digit, "Q~", and 31 to 34 more.
func (s *search) entraSecret(mark int) int {
	const chars = url64 | dot | tilde
	text, start := s.text, mark-5
	if start < s.lastEnd(0) || text[mark-1] != 'Q' || class[text[mark-2]]&digit == 0 || run(text, start, chars) < mark || !edge(text, start, chars) {
		return 0
	}
	end := run(text, mark+1, chars)
	if n := end - mark - 1; n < 31 || n > 34 || !spread(text[start:end]) {
		return 0
	}
	return s.add("Microsoft Entra client secret", start, end)
}

// userinfo looks for the password in "scheme://user:password@host" (RFC 3986,
// section 3.2.1), given where the user begins.
func (s *search) userinfo(start int) int {
	text := s.text
	colon, at := 0, 0
	for i := start; i < min(len(text), start+300) && text[i] > ' ' && strings.IndexByte("/?#\"'`\\<>{}|,", text[i]) < 0; i++ {
		switch {
		case text[i] == ':' && colon == 0:
			colon = i
		case text[i] == '@':
			at = i
		}
	}
	if colon == 0 || at < colon {
		return 0
	}
	if f, end := s.token(colon + 1); end == at {
		return s.add(f.kind, colon+1, at)
	}
	if !isPassword(text[start:colon], text[colon+1:at]) {
		return 0
	}
	return s.add("password in a URL", colon+1, at)
}

// token returns the format of the token that begins at a place, and its end.
func (s *search) token(at int) (*format, int) {
	if at+1 < len(s.text) {
		if g := heads[pair(s.text[at], s.text[at+1])]; g != 0 {
			for i := range groups[g-1] {
				f := &groups[g-1][i]
				if f.find == nil && bytes.HasPrefix(s.text[at:], []byte(f.prefix)) {
					if end := f.end(s.text, at); end > 0 {
						return f, end
					}
				}
			}
		}
	}
	return nil, 0
}

// telegram looks for the token of a Telegram bot: its number, ":AA", and 33
// more. In a URL "bot" stands before the number.
func (s *search) telegram(colon int) int {
	text, start := s.text, colon
	for start > s.lastEnd(0) && colon-start < 13 && class[text[start-1]]&digit != 0 {
		start--
	}
	if start > 0 && text[start-1] == '%' {
		start += 2 // of "%20"
	}
	end := run(text, colon+1, url64)
	if n := colon - start; n < 8 || n > 10 || end-colon-1 != 35 || !drawn(text[colon+1:end]) {
		return 0
	}
	if !edge(text, start, word) && !bytes.HasSuffix(text[:start], []byte("bot")) {
		return 0
	}
	return s.add("Telegram bot token", start, end)
}

// dotted looks at a word before a dot: the first part of a Discord token is the
// base64 of the bot's number, and of a Z.ai or Ollama key 32 hexadecimal digits.
func (s *search) dotted(start, dotAt int) int {
	text := s.text
	second := run(text, dotAt+1, url64)
	if dotAt-start == 32 && run(text, start, hexLower) == dotAt {
		if n := second - dotAt - 1; (n == 16 || n == 24) && run(text, dotAt+1, alnum) == second && mixed(text[dotAt+1:second]) {
			return s.add("Z.ai or Ollama API key", start, second)
		}
		return 0
	}
	if dotAt-start > 28 || second-dotAt-1 != 6 || second == len(text) || text[second] != '.' {
		return 0
	}
	end := run(text, second+1, url64)
	number, err := base64.RawURLEncoding.DecodeString(string(text[start:dotAt]))
	if n := end - second - 1; err != nil || n < 27 || n > 38 || run(number, 0, digit) != len(number) {
		return 0
	}
	return s.add("Discord bot token", start, end)
}

// isAzureKey reports whether a word is one of the keys that Azure gives since
// 2024 (common annotated security keys): 52 random characters, "JQQJ9", and
// when, where and by whom it was made.
func isAzureKey(b []byte) bool {
	return string(b[52:57]) == "JQQJ9" && run(b, 0, alnum) >= 84 && spread(b[:52])
}

func pair(a, b byte) int { return int(a)<<8 | int(b) }
