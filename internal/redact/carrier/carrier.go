// Package carrier finds the values in a text, however they are encoded there,
// and writes changed values back.
//
// A carrier is a way to write values as text: JSON, a form, a query, XML, a
// stream of events, base64 and others. It finds its values, which are called
// leaves, and decodes them. A search sees only decoded leaves, with their names.
// Its matches become edits of the leaf, and the carrier lifts those to edits of
// its own text. So carriers nest: a JSON string that holds a form that holds
// base64 is three lifts. Bytes that no edit touches stay as they are.
//
//	carrier           file            leaves
//	JSON, JSON lines  json.go         strings, numbers, names of members
//	JSON in prose     prose.go        the same; the text around it is a leaf
//	forms, queries    form.go         values of parameters
//	XML, HTML         markup.go       texts, attributes, comments
//	multipart, mail   multipart.go    values of headers, bodies of parts
//	event streams     events.go       fields, JSON in them, and texts split over events
//	base64            base64.go       the decoded text or bytes
//	hexadecimal       hex.go          the same; runs.go finds both
//	gzip, zlib        compressed.go   the decompressed text or bytes
//	escapes in text   escapes.go      the text with \n, %0A and &amp; decoded
//
// Carriers nest up to [MaxDepth]. The work of a walk is bounded by the length
// of its text; see [ErrTooMuch].
package carrier

import (
	"compress/gzip"
	"errors"
	"strings"
)

// A Leaf is a decoded value. It is valid until the search returns.
type Leaf struct {
	Text string
	Kind Kind

	// Name is the nearest name: of the member, the parameter, the element.
	Name string

	// Labels are other texts that may name the value: "api_key" in
	// {"name": "api_key", "value": "..."} and {"api_key": {"value": "..."}}.
	Labels []string

	// Path has the names around the value from the outermost, "" for an array.
	Path []string

	// Members are the other short values of the same object, element or query.
	Members []Member

	// In is the innermost carrier: JSON, Query and so on.
	In In
}

// A Member is a short value next to a leaf.
type Member struct{ Name, Value string }

// Member returns the value of another member of the same object.
func (l *Leaf) Member(name string) (value string, ok bool) {
	for _, m := range l.Members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return "", false
}

// Kind says what a leaf is, and so what may be written in its place.
type Kind uint8

// The kinds of leaves.
const (
	Text   Kind = iota // any text; its carrier escapes what is written
	Number             // a JSON number; all of it is replaced by a number
	Bytes              // bytes that are not a text
	Raw                // a text with escapes; a leaf with the escapes decoded follows
)

// In names a carrier.
type In uint8

// The carriers that a search distinguishes.
const (
	Plain  In = iota // none
	JSON             // a member or element
	Form             // a parameter of a form
	Query            // a parameter of the query of a URL
	Markup           // a text or attribute of XML or HTML
	Header           // a header of a part or a mail
	Part             // the body of a part of a form
)

// A Match is a part of a leaf that is replaced.
type Match struct {
	Start, End int
	Text       string // what is written instead
	Cause      Cause
}

// A Cause says why a match is replaced. The edit of the match has it, too.
type Cause struct {
	Kind  string // what was found, for messages
	Value string // the decoded text that was found
	Learn bool   // whether the caller wants to look for the value elsewhere
	Rule  uint8  // for the caller
}

// An Edit is a part of a text, and what is written in its place.
type Edit struct {
	Start, End int
	Text       string
	Causes     []Cause

	changesNothing bool // see changesOnly
}

// A Walker walks over the values of texts. It may be used by several goroutines
// at once if its functions may.
type Walker struct {
	// Find returns the matches in a leaf, in order and without overlap. It must not
	// learn from them, since a match may not become an edit. A match that is
	// replaced by itself makes this part stay, whatever is encoded in it.
	Find func(*Leaf) []Match

	// WantsBytes says that Find looks at leaves of the kind Bytes.
	WantsBytes bool

	// Canonical says that changed base64 is always written in the standard alphabet
	// with padding. Texts that are compared need that: otherwise the length of a
	// secret would show.
	Canonical bool

	// MaxWork is how many bytes are decoded at most for each byte of the text.
	// Zero means 32.
	MaxWork int
}

// MaxDepth is how many carriers may be nested in one another. A text that is
// nested deeper is searched as it is.
const MaxDepth = 8

// ErrTooMuch is the error for a text with so many layers of encodings that decoding
// would take more work than its length allows, or that decompresses to too much.
var ErrTooMuch = errors.New("the text holds too much that is encoded several times, " +
	"or unpacks to too much")

// Limits of the work of one walk. Each layer of a text is decoded about once, and
// bytes in base64 four times. So eight layers take at most 32 times the length.
const (
	defaultWork = 32
	freeWork    = 1 << 20  // bytes that are decoded for a text of any length
	maxUnpacked = 64 << 20 // bytes that a short text may decompress to
)

// A Place is where the text of a walk is.
type Place struct {
	Name      string // of the header or parameter that has the text
	Path      []string
	MediaType string // of a body, such as "application/json"; may be empty
}

// Edits returns the edits of a text: in order and without overlap.
func (w *Walker) Edits(text string, at Place) ([]Edit, error) {
	c := w.newWalk(len(text))
	p := place{name: at.Name, path: at.Path}
	var edits []Edit
	isForm := strings.HasPrefix(at.MediaType, "application/x-www-form-urlencoded")
	if isForm && strings.IndexByte(text, '=') >= 0 {
		edits = c.editsOfForm(text, p)
	} else {
		edits = c.editsOfValue(text, p)
	}
	return edits, c.err
}

// walk is one walk over a text.
type walk struct {
	*Walker
	bytesLeft  int   // how many bytes may still be decoded
	unpackLeft int   // how many bytes may still be decompressed
	err        error // the first limit that was reached
	leaf       Leaf  // the leaf of the last call of Find
	scans      []*jsonScan

	// Memory that is used again.

	decodeBuffer []byte       // for decoded base64
	gzipReader   *gzip.Reader // for each member of a file; nil until needed
	copyBuffer   []byte       // for decompressed bytes; nil until needed
}

func (w *Walker) newWalk(size int) *walk {
	work := w.MaxWork
	if work == 0 {
		work = defaultWork
	}
	return &walk{Walker: w, bytesLeft: size*work + freeWork, unpackLeft: size*work + maxUnpacked}
}

// A place is where a value is in the text of a walk.
type place struct {
	kind    Kind
	in      In
	name    string
	labels  []string
	path    []string
	members []Member
	depth   int // how many carriers are around it
}

// inside returns the place of the values of a carrier at this place.
func (p place) inside(in In) place {
	p.depth++
	p.in = in
	p.labels, p.members = nil, nil
	return p
}

// mayDecode reports whether n bytes may be decoded at a place. If so, it counts them.
func (c *walk) mayDecode(p place, n int) bool {
	if p.depth >= MaxDepth || c.err != nil {
		return false
	}
	c.bytesLeft -= n
	if c.bytesLeft < 0 {
		c.err = ErrTooMuch
		return false
	}
	return true
}

// minValue is the length in bytes of the shortest value without a name that is
// searched, and of the shortest value that may be a carrier. No secret is shorter.
const minValue = 4

// editsOfValue returns the edits of a decoded value.
func (c *walk) editsOfValue(s string, p place) []Edit {
	if len(s) < minValue && p.name == "" {
		return nil
	}
	isInside := p.depth > 0
	if p.kind != Text || len(s) < minValue && isInside {
		return changesOnly(c.findInLeaf(s, p))
	}
	start := skipSpace(s, 0)
	if start == len(s) {
		return nil
	}
	switch s[start] {
	case '{', '[', '"':
		edits, ok := c.editsOfJSON(s, p)
		if ok {
			return edits
		}
	case '<':
		edits, ok := c.editsOfMarkup(s, p)
		if ok {
			return edits
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		edits, ok := c.editsOfNumber(s, p)
		if ok {
			return edits
		}
		edits, ok = c.editsOfMultipart(s, p)
		if ok {
			return edits
		}
	case '\x1f', 'x':
		edits, ok := c.editsOfCompressed(s, p)
		if ok {
			return edits
		}
	case 'd', 'e', 'i', 'r', ':':
		if isEventStream(s[start:]) {
			return c.editsOfStream(s, p)
		}
	}
	if mayBeForm(s) {
		return c.editsOfForm(s, p)
	}
	edits, ok := c.editsOfMail(s, p)
	if ok {
		return edits
	}
	return c.editsOfProse(s, p)
}

// editsOfJSONNumber returns the edit of a number in JSON. A long one may be the
// hexadecimal digits of a text; it becomes 0 if something is replaced in that text.
func (c *walk) editsOfJSONNumber(s string, p place) []Edit {
	edits := changesOnly(c.findInLeaf(s, p))
	isLong := len(s) >= 2*minKnown && runEnd(s, 0, hexChars) == len(s)
	if len(edits) > 0 || !isLong {
		return edits
	}
	text := p
	text.kind = Text
	found := c.editsOfRuns(s, text, nil)
	if len(found) == 0 {
		return nil
	}
	return []Edit{{End: len(s), Text: "0", Causes: causes(found)}}
}

// findInLeaf returns the edits that the search wants in a text that is a leaf, with
// those that change nothing.
func (c *walk) findInLeaf(s string, p place) []Edit {
	c.leaf = Leaf{
		Text:    s,
		Kind:    p.kind,
		Name:    p.name,
		Labels:  p.labels,
		Path:    p.path,
		Members: p.members,
		In:      p.in,
	}
	var edits []Edit
	for _, m := range c.Find(&c.leaf) {
		e := Edit{Start: m.Start, End: m.End, Text: m.Text, Causes: []Cause{m.Cause}}
		if p.kind == Number {
			e.Start, e.End = 0, len(s)
		}
		e.changesNothing = m.Text == s[e.Start:e.End]
		edits = append(edits, e)
		if p.kind == Number {
			break
		}
	}
	return edits
}

// skipSpace returns the place behind white space.
func skipSpace(s string, at int) int {
	for at < len(s) && isSpace(s[at]) {
		at++
	}
	return at
}

// isSpace reports whether a byte is white space of JSON.
func isSpace(c byte) bool {
	switch c {
	case ' ', '\n', '\t', '\r':
		return true
	}
	return false
}
