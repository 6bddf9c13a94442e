package diff

import "strings"

// A span is a stretch of two texts: the same text, or what one has in the place of the
// other. It begins where the one before it ends.
type span struct {
	a, b  int // where it ends in the recorded and in the incoming text
	words int // of the side that has more
}

// A comparison is two texts and their spans, which cover both. The first of them is the
// same in both, and may be empty; the second is a change, and so on by turns.
type comparison struct {
	a, b          string
	spans         []span
	same, changed int // words
}

// texts returns what a span is of both texts.
func (c *comparison) texts(i int) (recorded, incoming string) {
	var from span
	if i > 0 {
		from = c.spans[i-1]
	}
	return c.a[from.a:c.spans[i].a], c.b[from.b:c.spans[i].b]
}

// compareTexts compares lines, then the sentences of lines that differ, and then
// their words.
func compareTexts(a, b string) *comparison {
	c := &comparison{a: a, b: b, spans: make([]span, 1)}
	c.compare(a, b, lines, sentences, words)
	c.joinNear()
	c.trimBlanks()
	for i, s := range c.spans {
		if i%2 == 0 {
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
	last := &c.spans[len(c.spans)-1]
	next := span{last.a + len(a), last.b + len(b), max(countWords(a), countWords(b))}
	switch {
	case a == "" && b == "":
	case same == (len(c.spans)%2 == 1):
		next.words += last.words
		*last = next
	default:
		c.spans = append(c.spans, next)
	}
}

// joinNear joins changes that have next to nothing between them: two changed
// words with a blank between, long ones with an "of". Confetti is no help.
func (c *comparison) joinNear() {
	out := c.spans[:0]
	for i, s := range c.spans {
		for n := len(out); i%2 == 1 && n > 1 && c.tooSmall(out[n-2], out[n-1], s); n = len(out) {
			s.words += out[n-2].words + out[n-1].words
			out = out[:n-2]
		}
		out = append(out, s)
	}
	c.spans = out
}

// tooSmall reports whether what is the same between two changes says too little
// to be shown between them.
func (c *comparison) tooSmall(before, same, after span) bool {
	text := c.a[before.a:same.a]
	weight := same.words + 2*strings.Count(text, "\n")
	if weight == 0 {
		return len(text) <= 8
	}
	return min(before.words, after.words) >= 2*weight
}

// trimBlanks gives blanks that both sides of a change start or end with to the
// text around it.
func (c *comparison) trimBlanks() {
	bothBlank := func(rec, inc byte) bool { return rec == inc && isSpace(rec) }
	for i := 1; i < len(c.spans); i += 2 {
		before, s := &c.spans[i-1], &c.spans[i]
		for before.a < s.a && before.b < s.b && bothBlank(c.a[before.a], c.b[before.b]) {
			before.a, before.b = before.a+1, before.b+1
		}
		for i+1 < len(c.spans) && before.a < s.a && before.b < s.b && bothBlank(c.a[s.a-1], c.b[s.b-1]) {
			s.a, s.b = s.a-1, s.b-1
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
