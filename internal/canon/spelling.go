package canon

import (
	"bytes"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// spellingOf returns how a request is written, where that changes nothing: the blanks and
// escapes of its JSON, which members it has, whatever their order and values, the names
// of its files, the escapes of its path. A program writes each of its requests in one
// way, so of two recordings that differ in it the one that is written alike is meant.
// Members that are left out come and go.
func spellingOf(path string, text []byte, encoding encoding, body *exactjson.Value, leftOut func(member string) bool) Trait {
	h := hash(fnvOffset, path)
	if bytes.Contains(text, []byte(`\u`)) && foreignEscape().Match(text) {
		h = hash(h, `\u`)
	}
	if bytes.Contains(text, []byte(`\/`)) {
		h = hash(h, `\/`)
	}
	if encoding == multipartBody {
		for _, rest := range bytes.Split(text, []byte(`filename="`))[1:] {
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			h = hash(h, name)
		}
	} else {
		h = blanks(h, text)
	}
	return Trait{"spelling", h + membersHash(body, fnvOffset, leftOut), spelling}
}

// foreignEscape matches escapes of what is not ASCII; others are an encoder's habit
// with single characters.
var foreignEscape = memo.Regexp(`\\u([^0]|0[^0]|00[^0-7])`)

// blanks goes on with a hash of the blanks behind the first brace, colon and comma of a
// JSON text.
func blanks(h uint64, body []byte) uint64 {
	inString := false
	var seen [256]bool
	for i, left := 0, 3; i < min(len(body), 4096) && left > 0; i++ {
		switch b := body[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case !inString && (b == '{' || b == ':' || b == ',') && !seen[b]:
			seen[b] = true
			left--
			rest := body[i+1 : min(len(body), i+66)]
			h = hash(h, rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))])
		}
	}
	return h
}

// membersHash returns the sum of a hash of every member's name and place, and of the kind
// of its value.
func membersHash(v *exactjson.Value, place uint64, leftOut func(member string) bool) (sum uint64) {
	for i := range v.Elems {
		at := place * fnvPrime
		if v.Kind == exactjson.Object {
			if leftOut != nil && leftOut(v.Elems[i].Name) {
				continue
			}
			at = hash(place, v.Elems[i].Name)
			sum += at * (uint64(v.Elems[i].Kind) + 1)
		}
		sum += membersHash(&v.Elems[i], at, nil)
	}
	return sum
}
