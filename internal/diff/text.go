package diff

import (
	"slices"
	"strings"
	"unicode"
)

// A span is a stretch of two texts: the same text, or what one has in the place of the
// other. It begins where the one before it ends.
type span struct {
	a, b  int // where it ends in the recorded and in the incoming text
	words int // of the side that has more
}

// A comparison is two texts and their spans, which cover both. The first of them is the
// same in both, and may be empty; the second is a change, and so on by turns.
type comparison struct {
	a, b  string
	spans []span
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
	return c
}

// words counts the words of what is the same, and of what has changed.
func (c *comparison) words() (same, changed int) {
	count := [2]int{}
	for i, s := range c.spans {
		count[i%2] += s.words
	}
	return count[0], count[1]
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
		from = to.next()
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

// lines cuts a text after each newline.
func lines(s string) []string { return strings.SplitAfter(s, "\n") }

// sentences cuts a text after the blank that follows the end of a sentence.
func sentences(s string) []string { return strings.SplitAfter(s, ". ") }

// words cuts a text into words, numbers, newlines, stretches of blanks and other
// signs. Characters that are seen as one stay together.
func words(s string) []string {
	out := make([]string, 0, len(s)/2+1)
	eachPiece(s, func(piece string, _ class) { out = append(out, piece) })
	return out
}

// eachWord calls f for each word of a text: for those of the pieces that are no signs or blanks,
// and of snake_case and 3.14, for each part.
func eachWord(s string, f func(word string)) {
	isJoint := func(r rune) bool { return r == '_' || r == '.' || r == '\'' } // of a word
	eachPiece(s, func(piece string, first class) {
		switch {
		case first != letter && first != character:
		case strings.IndexFunc(piece, isJoint) < 0: // as in nearly all
			f(piece)
		default:
			for word := range strings.FieldsFuncSeq(piece, isJoint) {
				f(word)
			}
		}
	})
}

func countWords(s string) (n int) {
	eachWord(s, func(string) { n++ })
	return n
}

// eachPiece calls f for each piece of a text, and the class of its first character.
func eachPiece(s string, f func(piece string, first class)) {
	start := 0      // of the piece
	var first class // of its first character
	var before rune // the last one
	for i, r := range s {
		c := classOf(r)
		joined := false
		switch {
		case before == '\r' && r == '\n':
			joined, first = true, newline
		case c == joiner:
			joined = first != space && first != newline
		case c == letter, c == space && !strings.HasPrefix(s[i:], "\r\n"):
			joined = c == first
		case first == sign:
			joined = before == zeroWidthJoiner // the next part of an emoji
		case first == letter:
			joined = inWord(s, i)
		}
		if !joined {
			if i > 0 {
				f(s[start:i], first)
			}
			start, first = i, c
		}
		before = r
	}
	f(s[start:], first)
}

// class is what a rune is to a reader.
type class uint8

const (
	sign      class = iota // stands alone
	character              // of a script without spaces: a word, and stands alone
	letter                 // or digit
	joiner                 // belongs to what is before it
	space
	newline
)

const zeroWidthJoiner = '\u200d'

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
		return letter
	case unicode.IsSpace(r):
		return space
	case r < 0x80:
		return sign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return character
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return letter
	case unicode.In(r, unicode.M, unicode.Cf) || 0x1F3FB <= r && r <= 0x1F3FF: // skin tones
		return joiner
	}
	return sign
}

// inWord reports whether the sign at s[i] joins what is around it: don't, 3.14.
func inWord(s string, i int) bool {
	if i == 0 || i+1 == len(s) {
		return false
	}
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 }
	switch s[i] {
	case '\'':
		return isLetter(s[i-1]) && isLetter(s[i+1])
	case '.':
		return unicode.IsDigit(rune(s[i-1])) && unicode.IsDigit(rune(s[i+1]))
	}
	return false
}

// A pair is an element of each of two sequences, by their indexes.
type pair struct{ a, b int }

// next returns the places behind a pair.
func (p pair) next() pair { return pair{p.a + 1, p.b + 1} }

// maxDepth bounds how often what is between two matches is searched again. Real
// texts need three or four levels; without the bound one can be made that needs as
// many as it has elements.
const maxDepth = 10

// match returns the elements that a and b have in common, in order. It is an
// anchored diff, like that of Go's internal/diff: the rarest elements of both, most
// often such as occur once, are anchors, and the longest sequence of anchors in the
// same order matches. What is between two anchors is matched in the same way, since
// what occurs often in the whole may occur once there. It takes O(n log n) for any
// sequences, which an algorithm that looks for the shortest script does not.
func match(a, b []string) []pair {
	m := matcher{a: a, b: b}
	m.match(pair{}, pair{len(a), len(b)}, maxDepth)
	return m.pairs
}

// A matcher collects what two sequences have in common.
type matcher struct {
	a, b  []string
	pairs []pair
}

// match matches what is between two places.
func (m *matcher) match(from, to pair, depth int) {
	for ; from.a < to.a && from.b < to.b && m.a[from.a] == m.b[from.b]; from = from.next() {
		m.pairs = append(m.pairs, from)
	}
	end := to
	for to.a > from.a && to.b > from.b && m.a[to.a-1] == m.b[to.b-1] {
		to = pair{to.a - 1, to.b - 1}
	}
	if depth > 0 {
		if anchors := m.anchors(from, to); len(anchors) > 0 {
			for _, next := range append(anchors, to) {
				m.match(from, next, depth-1) // which begins with the anchor before
				from = next
			}
		}
	}
	for ; to.a < end.a; to = to.next() {
		m.pairs = append(m.pairs, to)
	}
}

// anchors returns the longest sequence of the rarest elements that both have between two
// places, in the same order. What occurs several times is paired by its occurrences: the
// first with the first.
func (m *matcher) anchors(from, to pair) []pair {
	type places struct{ a, b []int }
	common := map[string]places{}
	for i := from.a; i < to.a; i++ {
		p := common[m.a[i]]
		p.a = append(p.a, i)
		common[m.a[i]] = p
	}
	for i := from.b; i < to.b; i++ {
		if p, ok := common[m.b[i]]; ok {
			p.b = append(p.b, i)
			common[m.b[i]] = p
		}
	}
	var pairs []pair
	rarest := len(m.a) + len(m.b)
	for _, p := range common {
		times := max(len(p.a), len(p.b))
		if len(p.b) == 0 || times > rarest {
			continue
		}
		if times < rarest {
			rarest, pairs = times, nil
		}
		for k := range min(len(p.a), len(p.b)) {
			pairs = append(pairs, pair{p.a[k], p.b[k]})
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int { return p.a - q.a })
	return longestInOrder(pairs)
}

// longestInOrder returns the longest subsequence of pairs, which are in the order
// of a, that is in the order of b too. The k-th top is the pair with the least b in
// which a sequence of k+1 pairs can end (Szymanski, "A special case of the maximal
// common subsequence problem", 1975).
func longestInOrder(pairs []pair) []pair {
	var tops []int                    // indexes of pairs
	before := make([]int, len(pairs)) // the pair before each in its sequence
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tops, p.b, func(top, b int) int { return pairs[top].b - b })
		if k == len(tops) {
			tops = append(tops, i)
		}
		tops[k] = i
		if k > 0 {
			before[i] = tops[k-1]
		}
	}
	longest := make([]pair, len(tops))
	for k := len(tops) - 1; k >= 0; k-- {
		if k+1 < len(tops) {
			tops[k] = before[tops[k+1]]
		}
		longest[k] = pairs[tops[k]]
	}
	return longest
}
