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

// A comparison is two texts and their spans, which cover both without gaps.
type comparison struct {
	a, b  string
	spans []span
	steps int // that matching may still take
}

// compareTexts compares lines first, then the words of the lines that differ.
func compareTexts(a, b string) *comparison {
	c := &comparison{a: a, b: b, steps: maxSteps}
	p := commonStart(a, b)
	s := commonEnd(a[p:], b[p:])
	c.add(p, p, true)
	midA, midB := a[p:len(a)-s], b[p:len(b)-s]
	if strings.Contains(midA, "\n") && strings.Contains(midB, "\n") {
		c.tokens(midA, midB, lines, c.block)
	} else {
		c.block(midA, midB)
	}
	c.add(s, s, true)
	c.clean()
	c.trim()
	c.slide()
	return c
}

func (c *comparison) recorded(s span) string { return c.a[s.a0:s.a1] }
func (c *comparison) incoming(s span) string { return c.b[s.b0:s.b1] }

// add appends the next na and nb bytes of the texts.
func (c *comparison) add(na, nb int, same bool) {
	if na == 0 && nb == 0 {
		return
	}
	var a0, b0 int
	if k := len(c.spans) - 1; k >= 0 {
		last := &c.spans[k]
		if last.same == same {
			last.a1 += na
			last.b1 += nb
			return
		}
		a0, b0 = last.a1, last.b1
	}
	c.spans = append(c.spans, span{a0, a0 + na, b0, b0 + nb, same})
}

// commonStart returns the length of the longest common beginning that ends
// where a line does, or at a blank if there is no line.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	if i := strings.LastIndexByte(a[:n], '\n'); i >= 0 {
		return i + 1
	}
	for ; n > 0; n-- {
		if a[n-1] == ' ' && (n == len(a) || !blank(a[n])) && (n == len(b) || !blank(b[n])) {
			return n
		}
	}
	return 0
}

// commonEnd is commonStart from the other end.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if i := strings.IndexByte(a[len(a)-n:], '\n'); i >= 0 {
		return n - i - 1
	}
	for ; n > 0; n-- {
		i, j := len(a)-n, len(b)-n
		if a[i] == ' ' && (i == 0 || !blank(a[i-1])) && (j == 0 || !blank(b[j-1])) {
			return n
		}
	}
	return 0
}

// blank reports what may belong to a stretch of blanks or to a character that
// started before.
func blank(c byte) bool { return isSpace(c) || c >= 0x80 }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// Bounds of what is compared word by word.
const (
	largeBlock = 20_000  // bytes of both texts, from which they are cut up first
	hugeBlock  = 200_000 // bytes of both texts, from which they are just different
	mostLines  = 500     // lines of one block
)

// block compares the next stretch of both texts. A large one of as many lines
// on both sides is compared line with line, as if something was set in each;
// any other is cut up at words that are the same in both.
func (c *comparison) block(a, b string) {
	if len(a)+len(b) < largeBlock {
		c.words(a, b)
		return
	}
	la, lb := lines(a), lines(b)
	if len(la) == 1 || len(la) != len(lb) {
		c.tokens(a, b, chunks, c.words)
		return
	}
	for i := range la {
		ta, tb := strings.TrimSuffix(la[i], "\n"), strings.TrimSuffix(lb[i], "\n")
		switch {
		case ta == tb:
			c.add(len(ta), len(tb), true)
		case i < mostLines:
			c.words(ta, tb)
		default:
			c.add(len(ta), len(tb), false)
		}
		if len(ta) < len(la[i]) {
			c.add(1, 1, true)
		}
	}
}

// words compares the next stretch of both texts word by word.
func (c *comparison) words(a, b string) {
	if len(a)+len(b) > hugeBlock {
		c.add(len(a), len(b), false)
		return
	}
	c.tokens(a, b, words, func(a, b string) { c.add(len(a), len(b), false) })
}

// tokens cuts a stretch of both texts, adds the tokens they have in common,
// and hands on what is between.
func (c *comparison) tokens(a, b string, cut func(string) []string, between func(a, b string)) {
	ids := map[string]int32{}
	number := func(tokens []string) []int32 {
		out := make([]int32, len(tokens))
		for i, t := range tokens {
			id, ok := ids[t]
			if !ok {
				id = int32(len(ids))
				ids[t] = id
			}
			out[i] = id
		}
		return out
	}
	ta, tb := cut(a), cut(b)
	take := func(text *string, tokens []string) string {
		n := 0
		for _, t := range tokens {
			n += len(t)
		}
		head := (*text)[:n]
		*text = (*text)[n:]
		return head
	}
	i, j := 0, 0
	for _, r := range append(match(number(ta), number(tb), &c.steps), run{len(ta), len(tb), 0}) {
		switch onlyA, onlyB := take(&a, ta[i:r.a]), take(&b, tb[j:r.b]); {
		case onlyA != "" && onlyB != "":
			between(onlyA, onlyB)
		default:
			c.add(len(onlyA), len(onlyB), false)
		}
		i, j = r.a+r.n, r.b+r.n
		c.add(len(take(&a, ta[r.a:i])), len(take(&b, tb[r.b:j])), true)
	}
}

// clean joins changes that have next to nothing between them: two changed
// words with a blank between, long ones with an "of". Confetti is no help.
func (c *comparison) clean() {
	out := c.spans[:0]
	for _, s := range c.spans {
		out = append(out, s)
		for n := len(out); n >= 3 && !s.same && c.crumb(out[n-3], out[n-2], out[n-1]); n = len(out) {
			out[n-3].a1, out[n-3].b1 = s.a1, s.b1
			out = out[:n-2]
		}
	}
	c.spans = out
}

// crumb reports whether what is the same between two changes says too little
// to be shown between them.
func (c *comparison) crumb(before, same, after span) bool {
	text := c.a[same.a0:same.a1]
	weight := countWords(text) + 2*strings.Count(text, "\n")
	if weight == 0 {
		return len(text) <= 8
	}
	large := func(s span) bool {
		return hasWords(c.recorded(s), 2*weight) || hasWords(c.incoming(s), 2*weight)
	}
	return large(before) && large(after)
}

// countWords counts the words of s; a character of U+3000 and up is one.
func countWords(s string) int { return countTo(s, math.MaxInt) }

// hasWords reports whether s has at least n words.
func hasWords(s string, n int) bool { return countTo(s, n) >= n }

func countTo(s string, limit int) int {
	n := 0
	in := false
	for i := 0; i < len(s) && n < limit; i++ {
		word := wordBytes[s[i]]
		if word && !in || s[i] >= 0xE3 {
			n++
		}
		in = word
	}
	return n
}

// trim leaves blanks out of a change that both of its sides end or start with.
func (c *comparison) trim() {
	var out []span
	for _, s := range c.spans {
		if s.same {
			out = append(out, s)
			continue
		}
		head, tail := 0, 0
		for s.a0+head < s.a1 && s.b0+head < s.b1 && c.a[s.a0+head] == c.b[s.b0+head] && isSpace(c.a[s.a0+head]) {
			head++
		}
		for s.a0+head < s.a1-tail && s.b0+head < s.b1-tail && c.a[s.a1-tail-1] == c.b[s.b1-tail-1] && isSpace(c.a[s.a1-tail-1]) {
			tail++
		}
		out = append(out,
			span{s.a0, s.a0 + head, s.b0, s.b0 + head, true},
			span{s.a0 + head, s.a1 - tail, s.b0 + head, s.b1 - tail, false},
			span{s.a1 - tail, s.a1, s.b1 - tail, s.b1, true})
	}
	c.spans = nil
	for _, s := range out {
		c.add(s.a1-s.a0, s.b1-s.b0, s.same)
	}
}

// slide moves what only one text has to where a line starts, if it may as well
// stand there: "b\na\n" inserted after "a\n" rather than "\nb\na" before.
func (c *comparison) slide() {
	for i := 1; i+1 < len(c.spans); i++ {
		before, change, after := &c.spans[i-1], &c.spans[i], &c.spans[i+1]
		text := c.recorded(*change)
		if text == "" {
			text = c.incoming(*change)
		} else if change.b0 < change.b1 {
			continue
		}
		head := c.recorded(*before)
		if !strings.Contains(text, "\n") || strings.HasSuffix(head, "\n") {
			continue
		}
		n := len(head) - strings.LastIndexByte(head, '\n') - 1 // of the line the change starts in
		if n == 0 || n > len(text) || n == len(head) && i > 1 || !strings.HasSuffix(text, head[len(head)-n:]) {
			continue
		}
		before.a1, before.b1 = before.a1-n, before.b1-n
		change.a0, change.a1, change.b0, change.b1 = change.a0-n, change.a1-n, change.b0-n, change.b1-n
		after.a0, after.b0 = after.a0-n, after.b0-n
	}
}
