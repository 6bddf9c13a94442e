package diff

import (
	"slices"
	"strings"
	"unicode"
)

// A span is a part of both texts that is equal, or a change. It begins at the end of the
// previous span.
type span struct {
	a, b  int // the offsets of its end in the recorded and in the incoming text
	words int // the number of words in the text that has more of them
}

// A comparison is two texts and their spans, which cover both. Equal spans and changes
// alternate. The first span is equal, and may be empty.
type comparison struct {
	a, b  string
	spans []span
}

// texts returns the recorded and the incoming text of a span.
func (c *comparison) texts(i int) (recorded, incoming string) {
	var from span
	if i > 0 {
		from = c.spans[i-1]
	}
	return c.a[from.a:c.spans[i].a], c.b[from.b:c.spans[i].b]
}

// compareTexts compares two texts line by line, then the lines that differ sentence by
// sentence, and these word by word.
func compareTexts(a, b string) *comparison {
	c := &comparison{a: a, b: b, spans: make([]span, 1)}
	c.compare(a, b, lines, sentences, words)
	c.joinNear()
	c.trimBlanks()
	return c
}

// wordCounts returns the number of words in equal spans and in changes.
func (c *comparison) wordCounts() (same, changed int) {
	for i, s := range c.spans {
		if isChange(i) {
			changed += s.words
		} else {
			same += s.words
		}
	}
	return same, changed
}

// compare compares the next parts of both texts, and adds spans. It cuts the parts into pieces
// with the first of cuts. Between equal pieces, it compares with the next of cuts.
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

// add adds the next parts of both texts. It extends the last span if that is of the same kind.
func (c *comparison) add(a, b string, same bool) {
	if a == "" && b == "" {
		return
	}
	last := &c.spans[len(c.spans)-1]
	lastIsSame := len(c.spans)%2 == 1
	next := span{
		a:     last.a + len(a),
		b:     last.b + len(b),
		words: max(countWords(a), countWords(b)),
	}
	if same == lastIsSame {
		next.words += last.words
		*last = next
		return
	}
	c.spans = append(c.spans, next)
}

// joinNear joins two changes if the equal text between them is short, such as
// the space between two words, because many small changes are hard to read:
//
//	before   {+the red+} of [-a dog-]
//	after    one change
//
// A joined change may be near the change before it, and is joined with that, too.
func (c *comparison) joinNear() {
	joined := c.spans[:0] // equal spans and changes alternate in it, too
	for i, s := range c.spans {
		if !isChange(i) {
			joined = append(joined, s)
			continue
		}
		change := s
		for len(joined) >= 2 {
			previous, equal := joined[len(joined)-2], joined[len(joined)-1]
			if !c.tooSmall(previous, equal, change) {
				break
			}
			// The joined change ends where change does, and begins where previous
			// began.
			change.words += previous.words + equal.words
			joined = joined[:len(joined)-2]
		}
		joined = append(joined, change)
	}
	c.spans = joined
}

// isChange reports whether a span, by its index in a comparison, is a change.
// Equal spans and changes alternate, and the first span is equal.
func isChange(index int) bool { return index%2 == 1 }

// tooSmall reports whether the equal text between two changes is too short to separate them.
func (c *comparison) tooSmall(before, same, after span) bool {
	text := c.a[before.a:same.a]
	weight := same.words + 2*strings.Count(text, "\n")
	if weight == 0 {
		return len(text) <= 8
	}
	return min(before.words, after.words) >= 2*weight
}

// trimBlanks moves white space that both sides of a change start or end with to the equal spans
// around the change.
func (c *comparison) trimBlanks() {
	bothBlank := func(rec, inc byte) bool { return rec == inc && isSpace(rec) }
	for i := 1; i < len(c.spans); i += 2 {
		before, change := &c.spans[i-1], &c.spans[i]
		isEmpty := func() bool { return before.a >= change.a || before.b >= change.b }
		for !isEmpty() && bothBlank(c.a[before.a], c.b[before.b]) {
			before.a++
			before.b++
		}
		isLast := i+1 == len(c.spans)
		for !isLast && !isEmpty() && bothBlank(c.a[change.a-1], c.b[change.b-1]) {
			change.a--
			change.b--
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// lines cuts a text after each newline.
func lines(s string) []string { return strings.SplitAfter(s, "\n") }

// sentences cuts a text after the space that follows a full stop.
func sentences(s string) []string { return strings.SplitAfter(s, ". ") }

// words cuts a text into words, numbers, newlines, runs of spaces, and single other characters.
// Runes that are displayed as one character stay together.
func words(s string) []string {
	out := make([]string, 0, len(s)/2+1)
	eachPiece(s, func(piece string, _ class) { out = append(out, piece) })
	return out
}

// eachWord calls f for each word of a text, and for each part of words such as snake_case and
// of numbers such as 3.14.
func eachWord(s string, f func(word string)) {
	isJoint := func(r rune) bool { return r == '_' || r == '.' || r == '\'' }
	eachPiece(s, func(piece string, first class) {
		switch {
		case first != letter && first != character: // not a word
		case strings.IndexFunc(piece, isJoint) < 0: // the common case, without the iterator
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

// eachPiece calls f for each piece of a text with the class of its first rune; see words.
func eachPiece(s string, f func(piece string, first class)) {
	start := 0      // of the piece
	var first class // of its first rune
	var before rune // the previous rune
	for i, r := range s {
		c := classOf(r)
		joined := false
		switch {
		case before == '\r' && r == '\n':
			joined = true
			first = newline
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
			start = i
			first = c
		}
		before = r
	}
	f(s[start:], first)
}

// class is a class of runes.
type class uint8

const (
	sign      class = iota // a piece of its own
	character              // of a script without spaces: a word, and a piece of its own
	letter                 // a letter or digit, part of a word
	joiner                 // combined with the rune before it
	space
	newline
)

const zeroWidthJoiner = '\u200d'

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
		return letter
	case unicode.IsSpace(r):
		return space
	case r < 0x80:
		return sign
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return character
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return letter
	case unicode.In(r, unicode.M, unicode.Cf),
		0x1F3FB <= r && r <= 0x1F3FF: // the skin tones of emoji
		return joiner
	}
	return sign
}

// inWord reports whether the sign at s[i] is a part of the word around it, as in don't or 3.14.
func inWord(s string, i int) bool {
	if i == 0 || i+1 == len(s) {
		return false
	}
	isLetter := func(c byte) bool {
		lower := c | 0x20
		isDigit := '0' <= c && c <= '9'
		isASCIILetter := 'a' <= lower && lower <= 'z'
		return isDigit || isASCIILetter || c >= 0x80
	}
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

// next returns the indexes after a pair.
func (p pair) next() pair { return pair{p.a + 1, p.b + 1} }

// maxDepth is the most levels of recursion of a match. Real texts need three or four; texts
// can be constructed that need as many as they have elements.
const maxDepth = 10

// match returns the pairs of equal elements of a and b, in order. It is an anchored
// diff, like that of Go's internal/diff: anchors are the rarest common elements,
// most of which occur once, and the longest sequence of anchors in the same order
// matches. The elements between two anchors are matched in the same way, since an
// element that is frequent in the whole may be rare there. It takes O(n log n) for
// all sequences. An algorithm that finds the shortest edit script does not.
func match(a, b []string) []pair {
	m := matcher{a: a, b: b}
	m.match(pair{}, pair{len(a), len(b)}, maxDepth)
	return m.pairs
}

// A matcher collects the pairs of equal elements.
type matcher struct {
	a, b  []string
	pairs []pair
}

// match matches the elements from one pair of indexes to another.
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
				m.match(from, next, depth-1) // also adds the anchor at from
				from = next
			}
		}
	}
	for ; to.a < end.a; to = to.next() {
		m.pairs = append(m.pairs, to)
	}
}

// anchors returns the longest sequence of pairs, in the order of both sequences, of the rarest
// elements that both have between two pairs of indexes. Of an element that occurs several times,
// the first occurrences are a pair, the second ones, and so on.
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
			rarest = times
			pairs = nil
		}
		for k := range min(len(p.a), len(p.b)) {
			pairs = append(pairs, pair{p.a[k], p.b[k]})
		}
	}
	slices.SortFunc(pairs, func(p, q pair) int { return p.a - q.a })
	return longestInOrder(pairs)
}

// longestInOrder returns the longest subsequence of pairs, which are sorted by a, that is
// sorted by b, too. The algorithm is that of Szymanski, "A special case of the maximal common
// subsequence problem", 1975: tops[k] is the pair with the least b of those that can end a
// sequence of k+1 pairs.
func longestInOrder(pairs []pair) []pair {
	var tops []int                    // indexes of pairs
	before := make([]int, len(pairs)) // the index of the previous pair in the sequence of each
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
