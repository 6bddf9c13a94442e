package diff

import (
	"math"
	"strings"
)

// A span is a stretch of two texts, as offsets in both: the same text, or what
// one has in the place of the other.
type span struct {
	a0, a1 int // of the recorded text
	b0, b1 int // of the incoming text
	same   bool
}

// A comparison is two texts and their spans, which cover both without gaps; the
// same and changed ones alternate.
type comparison struct {
	a, b  string
	spans []span
}

func (c *comparison) recorded(s span) string { return c.a[s.a0:s.a1] }
func (c *comparison) incoming(s span) string { return c.b[s.b0:s.b1] }

// compareTexts compares lines, then the sentences of lines that differ, and then
// their words.
func compareTexts(a, b string) *comparison {
	c := &comparison{a: a, b: b}
	c.compare(a, b, lines, sentences, words)
	c.joinNear()
	c.trimBlanks()
	return c
}

// compare compares the next stretch of both texts: it cuts them with the first
// of the cuts, and what these pieces do not have in common with the next one.
func (c *comparison) compare(a, b string, cuts ...func(string) []string) {
	if a == "" || b == "" || len(cuts) == 0 {
		c.add(len(a), len(b), false)
		return
	}
	as, bs := cuts[0](a), cuts[0](b)
	join := func(pieces []string) string { return strings.Join(pieces, "") }
	var from pair
	for _, to := range append(match(as, bs), pair{len(as), len(bs)}) {
		c.compare(join(as[from.a:to.a]), join(bs[from.b:to.b]), cuts[1:]...)
		if to.a < len(as) {
			c.add(len(as[to.a]), len(as[to.a]), true)
		}
		from = pair{to.a + 1, to.b + 1}
	}
}

// add appends the next na and nb bytes of the texts.
func (c *comparison) add(na, nb int, same bool) {
	if na == 0 && nb == 0 {
		return
	}
	next := span{same: same}
	if k := len(c.spans) - 1; k >= 0 {
		last := &c.spans[k]
		if last.same == same {
			last.a1 += na
			last.b1 += nb
			return
		}
		next.a0, next.b0 = last.a1, last.b1
	}
	next.a1, next.b1 = next.a0+na, next.b0+nb
	c.spans = append(c.spans, next)
}

// joinNear joins changes that have next to nothing between them: two changed
// words with a blank between, long ones with an "of". Confetti is no help.
func (c *comparison) joinNear() {
	out := c.spans[:0]
	for _, s := range c.spans {
		out = append(out, s)
		for n := len(out); n >= 3 && !s.same && c.tooSmall(out[n-3], out[n-2], out[n-1]); n = len(out) {
			out[n-3].a1, out[n-3].b1 = s.a1, s.b1
			out = out[:n-2]
		}
	}
	c.spans = out
}

// tooSmall reports whether what is the same between two changes says too little
// to be shown between them.
func (c *comparison) tooSmall(before, same, after span) bool {
	text := c.recorded(same)
	weight := countWords(text) + 2*strings.Count(text, "\n")
	if weight == 0 {
		return len(text) <= 8
	}
	large := func(s span) bool {
		return hasWords(c.recorded(s), 2*weight) || hasWords(c.incoming(s), 2*weight)
	}
	return large(before) && large(after)
}

// hasWords reports whether s has at least n words, and reads no more of it.
func hasWords(s string, n int) bool { return countUpTo(s, n) >= n }

// countWords returns how many words are the same, and how many changed.
func (c *comparison) countWords() (same, changed int) {
	for _, s := range c.spans {
		if n := countWords(c.recorded(s)); s.same {
			same += n
		} else {
			changed += max(n, countWords(c.incoming(s)))
		}
	}
	return same, changed
}

func countWords(s string) int { return countUpTo(s, math.MaxInt) }

// countUpTo counts the words of s until there are limit; a character of a script
// without spaces is one.
func countUpTo(s string, limit int) int {
	n := 0
	inWord := false
	for i := 0; i < len(s) && n < limit; i++ {
		isWord := wordBytes[s[i]]
		if isWord && !inWord || s[i] >= wideStart {
			n++
		}
		inWord = isWord
	}
	return n
}

// trimBlanks leaves blanks out of a change that both of its sides start or end
// with.
func (c *comparison) trimBlanks() {
	spans := c.spans
	c.spans = nil
	for _, s := range spans {
		rec, inc := c.recorded(s), c.incoming(s)
		head, tail := len(rec), 0
		if !s.same {
			head, tail = sharedBlanks(rec, inc)
		}
		c.add(head, head, true)
		c.add(len(rec)-head-tail, len(inc)-head-tail, false)
		c.add(tail, tail, true)
	}
}

// sharedBlanks returns how many blanks both texts start with, and how many of the
// others both end with.
func sharedBlanks(a, b string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] && isSpace(a[head]) {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] && isSpace(a[len(a)-1-tail]) {
		tail++
	}
	return head, tail
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
