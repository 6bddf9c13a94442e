// Package ids finds texts that may be IDs in requests and responses. Its callers look up
// which recorded response first had the ID that a request sends. An ID is recognized by
// its characters, not by the name of its field: every API puts its IDs somewhere else.
package ids

import (
	"hash/maphash"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// InRequest calls found with the hash of each possible ID in a request: in its URL, its
// headers and its body. Hashes of different processes cannot be compared.
func InRequest(req *interaction.Request, found func(id uint64)) {
	scan(req.URL, found)
	inHeaders(req.Headers, found)
	scan(string(req.Body), found)
}

// InResponse calls found with the hash of each possible ID in a response, also of an ID
// that the events of a stream send in pieces.
func InResponse(resp *interaction.Response, found func(id uint64)) {
	inHeaders(resp.Headers, found)
	scan(string(resp.Body), found)
	texts := map[string]*strings.Builder{}
	for _, event := range resp.Events {
		for _, f := range event {
			scan(f.Value, found)
		}
		join(texts, event)
	}
	for _, text := range texts {
		scan(text.String(), found)
	}
}

func inHeaders(headers interaction.Headers, found func(id uint64)) {
	for _, h := range headers {
		scan(strings.Join(h.Values, `"`), found)
	}
}

// join appends the strings of an event to the texts at their paths. The first event
// without a piece of a text ends it; an event with one string only, such as
// {"type": "ping"}, may come between two pieces and ends none.
func join(texts map[string]*strings.Builder, event interaction.Event) {
	pieces := map[string]string{}
	for _, f := range event {
		if !interaction.IsPayload(f.Name) {
			continue
		}
		for s := exactjson.Scan(f.Value); s.Next(); {
			if s.Token != exactjson.Scalar || s.Kind != exactjson.String {
				continue
			}
			path := strings.Join(s.Path, "/")
			pieces[path] += f.Value[s.Start+1 : s.End-1]
			if texts[path] == nil {
				texts[path] = new(strings.Builder)
			}
		}
	}
	for path, text := range texts {
		if piece, goesOn := pieces[path]; goesOn {
			text.WriteString(piece)
		} else if len(pieces) > 1 {
			text.WriteByte('"')
		}
	}
}

// seed is that of all hashes of this process, so that they can be compared.
var seed = maphash.MakeSeed()

// scan calls found with the hash of each word that may be an ID. A word is a run of
// letters, digits, "_" and "-"; escapes of JSON and of URLs end it. So an ID with other
// characters is several words.
func scan(text string, found func(id uint64)) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == 'u':
			i += len(`u0000`)
		case c == '\\':
			i++
		case c == '%':
			i += 2
		case isDigit(c) || isLetter(c):
			start := i
			for i < len(text) && (isDigit(text[i]) || isLetter(text[i])) {
				i++
			}
			if isID(text, start, i) {
				found(maphash.String(seed, text[start:i]))
			}
			i-- // the character after the word is read next
		}
	}
}

// isID reports whether the word text[start:end] may be an ID. It may if it has
//
//   - digits, at least 2 characters, and is not a number, or
//   - no digits, and at least 16 characters.
func isID(text string, start, end int) bool {
	word := text[start:end]
	if !strings.ContainsAny(word, "0123456789") {
		return len(word) >= 16
	}
	return len(word) >= 2 && !isNumber(text, start, end)
}

// isNumber reports whether the word text[start:end] is a number: it has only characters of
// numbers, and is short or follows a character that comes before numbers in JSON and prose.
func isNumber(text string, start, end int) bool {
	word := text[start:end]
	if strings.Trim(word, "0123456789eE-") != "" {
		return false
	}
	if len(word) < 8 {
		return true
	}
	return start > 0 && strings.IndexByte(" ,:[.\n", text[start-1]) >= 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter reports whether c is an ASCII letter, "_" or "-".
func isLetter(c byte) bool {
	lower := c | 0x20
	return 'a' <= lower && lower <= 'z' || c == '_' || c == '-'
}
