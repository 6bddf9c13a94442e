// Package ids finds what may be an id in the text of requests and answers, so that it is
// known which answer gave out the id that a request sends back. It goes by what the texts
// look like, and knows no names: every API puts its ids somewhere else.
package ids

import (
	"hash/maphash"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// InRequest calls found with the hash of everything in a request that may be an id, in its
// URL, its headers and its body. The hashes are those of this process.
func InRequest(req *interaction.Request, found func(id uint64)) {
	scan(req.URL, found)
	inHeaders(req.Headers, found)
	scan(string(req.Body), found)
}

// InResponse calls found with the hash of everything in a response that may be an id. The
// events of a stream may hold one in pieces.
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

// join adds the strings of an event to the texts that come in pieces, by their paths. A text
// goes on as long as each event has a piece of it. An event with one string, such as
// {"type": "ping"}, stands between pieces.
func join(texts map[string]*strings.Builder, event interaction.Event) {
	pieces := map[string]string{}
	for _, f := range event {
		for s := exactjson.Scan(f.Value); interaction.IsPayload(f.Name) && s.Next(); {
			if s.Token == exactjson.Scalar && s.Kind == exactjson.String {
				path := strings.Join(s.Path, "/")
				pieces[path] += f.Value[s.Start+1 : s.End-1]
				if texts[path] == nil {
					texts[path] = new(strings.Builder)
				}
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

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

// scan calls found with the hash of each run of letters, digits, "_" and "-" that may be
// an id. An id with other characters in it is several of them. Escapes of JSON and of URLs
// belong to none.
func scan(text string, found func(id uint64)) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == 'u':
			i += len(`u0000`)
		case c == '\\':
			i++
		case c == '%':
			i += 2
		case isDigit(c) || isOther(c):
			start, digits, others := i, 0, 0
			for ; i < len(text) && (isDigit(text[i]) || isOther(text[i])); i++ {
				if isDigit(text[i]) {
					digits++
				} else if c := text[i]; c != 'e' && c != 'E' && c != '-' { // those of numbers
					others++
				}
			}
			n, before := i-start, text[max(start-1, 0)]
			isNumber := others == 0 && (n < 8 || start > 0 && strings.ContainsRune(" ,:[.\n", rune(before)))
			if n >= 16 && digits == 0 || n >= 2 && digits > 0 && !isNumber {
				found(maphash.String(seed, text[start:i]))
			}
			i--
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isOther(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-' }
