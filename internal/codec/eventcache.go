package codec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An eventCache remembers the last value of an event that is structure. The next value
// mostly begins like it, and the JSON of what is the same need not be made again.
type eventCache struct {
	text   []byte  // the last value in the file
	start  int     // where the value begins in the file
	out    int     // where its JSON begins
	tokens []token // of the value, in order
	alike  int     // how many bytes of it are like the value before
}

// A token is where a name, an element or a value begins: counted from the start of the
// value in the file, counted from the start of its JSON, and in how many collections.
type token struct{ from, to, depth int }

// reset returns an empty cache that uses the memory of c.
func (c *eventCache) reset() eventCache { return eventCache{tokens: c.tokens[:0]} }

// note remembers a token of the value that is being read.
func (c *eventCache) note(from, to, depth int) {
	c.tokens = append(c.tokens, token{from - c.start, to - c.out, depth})
}

// common returns the last token up to which the text that follows is like the last value,
// the zero token if there is none, and forgets those behind it.
func (c *eventCache) common(rest []byte) token {
	same := 0
	if bytes.HasPrefix(rest, c.text[:c.alike]) { // mostly it is as much as before
		same = c.alike
	}
	same += samePrefix(c.text[same:], rest[same:])
	n := len(c.tokens)
	for n > 0 && c.tokens[n-1].from > same {
		n--
	}
	var last token
	if c.tokens = c.tokens[:n]; n > 0 {
		last = c.tokens[n-1]
	}
	c.alike = last.from
	return last
}

// samePrefix returns how many bytes a and b begin with alike.
func samePrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
