package diff

import "strings"

// A span is a stretch of two texts, as offsets in both: the same text, or what
// one has in the place of the other.
type span struct {
	a0, a1 int // of the recorded text
	b0, b1 int // of the incoming text
	same   bool
	words  int // of the side that has more
}

// A comparison is two texts and their spans, which cover both without gaps; the
// same and changed ones alternate.
type comparison struct {
	a, b          string
	spans         []span
	same, changed int // words
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
	for _, s := range c.spans {
		if s.same {
			c.same += s.words
		} else {
			c.changed += s.words
		}
	}
	return c
}

// compare compares the next stretch of both texts: it cuts them with the first
// of the cuts, and what these pieces do not have in common with the next one.
func (c *comparison) compare(a, b string, cuts ...func(string) []string) {
	if a == "" || b == "" || len(cuts) == 0 {
		c.add(a, b, false)
		return
	}
	as, bs := cuts[0](a), cuts[0](b)
	join := func(pieces []string) string { return strings.Join(pieces, "") }
	var from pair
	for _, to := range append(match(as, bs), pair{len(as), len(bs)}) {
		c.compare(join(as[from.a:to.a]), join(bs[from.b:to.b]), cuts[1:]...)
		if to.a < len(as) {
			c.add(as[to.a], bs[to.b], true)
		}
		from = pair{to.a + 1, to.b + 1}
	}
}

// add adds what the texts go on with.
func (c *comparison) add(a, b string, same bool) {
	next := span{a1: len(a), b1: len(b), same: same, words: max(countWords(a), countWords(b))}
	if k := len(c.spans) - 1; k >= 0 {
		last := c.spans[k]
		next.a0, next.a1 = last.a1, last.a1+len(a)
		next.b0, next.b1 = last.b1, last.b1+len(b)
		if last.same == same {
			c.spans[k] = join(last, next)
			return
		}
	}
	if a != "" || b != "" {
		c.spans = append(c.spans, next)
	}
}

// join returns what two spans are together, which follow each other.
func join(s, next span) span {
	return span{s.a0, next.a1, s.b0, next.b1, s.same && next.same, s.words + next.words}
}

// joinNear joins changes that have next to nothing between them: two changed
// words with a blank between, long ones with an "of". Confetti is no help.
func (c *comparison) joinNear() {
	out := c.spans[:0]
	for _, s := range c.spans {
		for n := len(out); !s.same && n >= 2 && c.tooSmall(out[n-2], out[n-1], s); n = len(out) {
			s = join(join(out[n-2], out[n-1]), s)
			out = out[:n-2]
		}
		out = append(out, s)
	}
	c.spans = out
}

// tooSmall reports whether what is the same between two changes says too little
// to be shown between them.
func (c *comparison) tooSmall(before, same, after span) bool {
	text := c.recorded(same)
	weight := same.words + 2*strings.Count(text, "\n")
	if weight == 0 {
		return len(text) <= 8
	}
	return min(before.words, after.words) >= 2*weight
}

// trimBlanks gives blanks that both sides of a change start or end with to the
// text around it.
func (c *comparison) trimBlanks() {
	for i := range c.spans {
		s := &c.spans[i]
		for i > 0 && !s.same && s.a0 < s.a1 && s.b0 < s.b1 && c.a[s.a0] == c.b[s.b0] && isSpace(c.a[s.a0]) {
			s.a0, s.b0 = s.a0+1, s.b0+1
			c.spans[i-1].a1, c.spans[i-1].b1 = s.a0, s.b0
		}
		for i+1 < len(c.spans) && !s.same && s.a0 < s.a1 && s.b0 < s.b1 && c.a[s.a1-1] == c.b[s.b1-1] && isSpace(c.a[s.a1-1]) {
			s.a1, s.b1 = s.a1-1, s.b1-1
			c.spans[i+1].a0, c.spans[i+1].b0 = s.a1, s.b1
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
