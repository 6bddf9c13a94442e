package codec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An eventCache remembers the last value of an event that is structure. The next one is
// mostly like it but for a few texts, and the JSON of what is the same need not be made
// again.
type eventCache struct {
	text      []byte  // the last value in the file
	start     int     // where this value begins in the file
	last, out int     // where the JSON of the last value begins, and that of this one
	tokens    []token // of the last value; those of this one take their places
	read      int     // how many of them did
}

// A token is where a name, an element or a value begins, or where the outermost value ends.
type token struct {
	from  int // in the file, from the start of the value
	to    int // in its JSON, from the start of that
	depth int // in how many collections
	next  int // up to which token, by its index, two values were the same from here on
}

// reset returns an empty cache that uses the memory of c.
func (c *eventCache) reset() eventCache { return eventCache{tokens: c.tokens[:0]} }

// begin makes the value that was read the last one. The next begins at start, and its JSON
// at out.
func (c *eventCache) begin(start, out int) {
	c.start, c.last, c.out, c.read = start, c.out, out, 0
}

// end notes the end of the value that was read, which is text in the file.
func (c *eventCache) end(text []byte, size int) {
	c.text = text
	if c.tokens = c.tokens[:c.read]; c.tokens[c.read-1].from != len(text) {
		c.tokens = append(c.tokens, token{from: len(text), to: size})
	}
}

// note remembers the next token of this value, unless it may be worth its while to go on
// with alike: the token in its place in the last value begins with the same byte.
func (c *eventCache) note(t token, next byte) bool {
	i := c.read
	if i == len(c.tokens) {
		c.tokens = append(c.tokens, t)
		c.read++
		return false
	}
	last := &c.tokens[i]
	if last.depth == t.depth && last.from < len(c.text) && c.text[last.from] == next {
		return true
	}
	*last = t
	c.read++
	return false
}

// reach returns up to which token of the last value text is as it was there, from the token
// that is read next.
func (c *eventCache) reach(text []byte) (next int) {
	i := c.read
	next = i
	first := c.tokens[i].from
	if n := c.tokens[i].next; n > i && n < len(c.tokens) && bytes.HasPrefix(text, c.text[first:c.tokens[n].from]) {
		next = n // mostly it is as much as before
	}
	last := c.tokens[next].from
	same := last + samePrefix(c.text[last:], text[last-first:])
	for next+1 < len(c.tokens) && c.tokens[next+1].from <= same {
		next++
	}
	c.tokens[i].next = next
	return next
}

// pass reads all tokens up to the one with the index next. The first of them is t now, and
// the others are as far behind it as they were.
func (c *eventCache) pass(next int, t token) {
	from, to := t.from-c.tokens[c.read].from, t.to-c.tokens[c.read].to
	if from != 0 || to != 0 {
		for j := c.read; j <= next; j++ {
			c.tokens[j].from += from
			c.tokens[j].to += to
		}
	}
	c.read = next + 1
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
