package echofault

import (
	"bytes"
	"unicode/utf8"
)

// overwrite overwrites the second half of a text with "#", from the start of a letter on.
// No JSON text ends with that.
func overwrite(text []byte) {
	half := len(text) / 2
	for half > 0 && !utf8.RuneStart(text[half]) {
		half--
	}
	copy(text[half:], bytes.Repeat([]byte("#"), len(text)-half))
}
