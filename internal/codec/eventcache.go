package codec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An eventCache remembers the last value of an event that is structure: the next one
// mostly begins and ends like it, and the JSON of what is the same need not be made
// again.
type eventCache struct {
	text   []byte  // the last value in the file; nil if there is none
	out    int     // where its JSON begins
	size   int     // of that
	behind int     // bytes behind it in its line
	last   []token // the tokens of it, in order
	alike  int     // so many of them it has in common with the one before

	// Of the one that is being read: those behind what it has in common with the last one,
	// to the one from which on it is like that again.
	tokens
}

// reset returns an empty cache that uses the memory of c.
func (c *eventCache) reset() eventCache {
	return eventCache{last: c.last[:0], tokens: tokens{read: c.read[:0]}}
}

// value reads the value at pos and appends its JSON. What is already in dst must stay as
// it is until the next one.
func (c *eventCache) value(d *jsonDecoder, dst []byte) []byte {
	c.start, c.to, c.stop, c.read = d.pos, len(dst), -1, c.read[:0]
	depth, like := 0, -1
	if c.text != nil {
		like = c.likeness(d.s[d.pos:])
	}
	if c.alike > 0 {
		last := c.last[c.alike-1]
		dst = append(dst, dst[c.out:c.out+last.to]...)
		d.pos += last.from
		depth = last.depth
	}
	dst, depth = d.flow(dst, depth, 0, &c.tokens)
	if d.pos == c.stop && !d.failed && depth > 0 {
		if last := c.last[like]; depth == last.depth {
			dst = append(dst, dst[c.out+last.to:c.out+c.size]...)
			d.pos += len(c.text) - last.from
			at := c.read[len(c.read)-1]
			for _, t := range c.last[like+1:] {
				c.read = append(c.read, token{t.from - last.from + at.from, t.to - last.to + at.to, t.depth})
			}
		} else {
			c.stop = -1
			dst, _ = d.flow(dst, depth, 0, &c.tokens)
		}
	}
	c.text, c.out, c.size = d.s[c.start:d.pos], c.to, len(dst)-c.to
	c.behind = max(0, bytes.IndexByte(d.s[d.pos:], '\n'))
	c.last = append(c.last[:c.alike], c.read...)
	return dst
}

// likeness compares the last value with what stands in rest. It finds how many tokens
// they have in common at the beginning, and returns the token of the last one from which
// on both are alike, -1 if there is none; c.stop is where that stands in the file. Where
// the new one ends is a guess: so far before the end of its line as the last one.
func (c *eventCache) likeness(rest []byte) (like int) {
	alike, n := 0, 0
	if c.alike > 0 { // mostly it is as many as before
		if at := c.last[c.alike-1].from; bytes.HasPrefix(rest, c.text[:at]) {
			alike, n = at, c.alike
		}
	}
	alike += samePrefix(c.text[alike:], rest[alike:])
	for n < len(c.last) && c.last[n].from <= alike {
		n++
	}
	c.alike = n
	end := bytes.IndexByte(rest, '\n') - c.behind
	if n == len(c.last) || end <= 0 {
		return -1
	}
	same := sameSuffix(c.text, rest[:end])
	done := 0
	if n > 0 {
		done = c.last[n-1].from
	}
	for like := n; like < len(c.last); like++ {
		left := len(c.text) - c.last[like].from
		if left <= same && end-left > done {
			c.stop = c.start + end - left
			return like
		}
	}
	return -1
}

// sameSuffix returns how many bytes a and b end with alike.
func sameSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for ; i >= 8; i -= 8 {
		if x := binary.LittleEndian.Uint64(a[i-8:]) ^ binary.LittleEndian.Uint64(b[i-8:]); x != 0 {
			return n - i + bits.LeadingZeros64(x)/8
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
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
