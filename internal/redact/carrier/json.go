package carrier

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A jsonLeaf is a string, a number or a name of a member in a JSON text.
type jsonLeaf struct {
	start, end int // without the quotes
	kind       Kind
	isName     bool         // it is the name of a member
	name       string       // of the member, decoded; "" for an element
	inner      *innerObject // set if the leaf waits for the end of the outer object
}

// An innerObject is the value of a member of another object, as in
// {"value": {"stringValue": "..."}, "name": "api_key"}. Its leaves wait for the
// end of the outer object, whose members say what they are.
type innerObject struct {
	frame
	name string // of the object, in the outer one
}

// A jsonScan finds the leaves of JSON text, and calls onLeaf for each. It does so
// for the members of an object when the object ends, since each leaf comes with
// the other members of its object; for the elements of an array at once.
type jsonScan struct {
	text   string
	tokens exactjson.Scanner

	// onLeaf is called for each leaf. The path ends with the name of the leaf. The
	// container is the object or array that has the leaf, or nil.
	onLeaf func(l jsonLeaf, path []string, container *frame)
	// onOpen is called at the beginning of each object. It may be nil.
	onOpen func()
	// onClose is called at the end of each object. Its numbers say to which of
	// several texts the strings of the object belong; see isNumbering. It may be nil.
	onClose func(numbers string)

	open    []frame
	pending []jsonLeaf // members of the objects that are open, for which onLeaf is not called yet
	path    []string   // the buffer for the path that onLeaf gets

	values  int // how many values of the top are complete
	end     int // where the last complete value of the top ends
	resume  int // where the last name, or value without a name, begins
	scanned int // where the last token ends
}

// A frame is an object or array that is open.
type frame struct {
	isObject bool
	first    int      // the index of its first leaf in pending
	members  []Member // its short strings; of an array, only the last one
	labels   []string // what the outer object says of this value; see Leaf.Labels
	numbers  string   // its members that isNumbering finds, each as name, value and "\x00"
}

// Limits of the members that are kept for the other leaves of an object: the names
// of secrets are short, and so are the marks by which services tell that a value is
// one.
const (
	longestMember = 60 // in bytes; longer members are not kept
	mostMembers   = 16 // further members are not kept
)

// scanner returns a scan for one JSON text, and release gives it back: the memory of its
// lists is used again.
func (c *walk) scanner() *jsonScan {
	n := len(c.scans)
	if n == 0 {
		return new(jsonScan)
	}
	j := c.scans[n-1]
	c.scans = c.scans[:n-1]
	*j = jsonScan{tokens: j.tokens, open: j.open[:0], pending: j.pending[:0], path: j.path[:0]}
	return j
}

func (c *walk) release(j *jsonScan) { c.scans = append(c.scans, j) }

// run scans a text from a place on, or only the first value there. It reports whether
// everything that it has scanned is JSON.
func (j *jsonScan) run(text string, from int, onlyFirst bool) bool {
	j.text = text
	j.resume = from
	j.scanned = from
	j.end = from
	j.tokens.Reset(text[from:])
	for j.tokens.Next() {
		j.token(from)
		j.scanned = from + j.tokens.End
		isWhole := len(j.open) == 0 && j.tokens.Token != exactjson.Name
		if isWhole {
			j.values++
			j.end = j.scanned
			if onlyFirst {
				return true
			}
		}
	}
	isWhole := len(j.open) == 0 && skipSpace(text, j.scanned) == len(text)
	for len(j.open) > 0 { // the text is incomplete
		j.close(j.tokens.Path[:min(len(j.open)-1, len(j.tokens.Path))])
	}
	return isWhole && j.values > 0
}

// token handles the token that the scanner has found.
func (j *jsonScan) token(from int) {
	s := &j.tokens
	start, end := from+s.Start, from+s.End
	switch s.Token {
	case exactjson.Open:
		j.push(s.Kind == exactjson.Object, start)
	case exactjson.Close:
		j.close(s.Path)
	case exactjson.Name:
		j.resume = start
		name := j.text[start+1 : end-1]
		if strings.IndexByte(name, '\\') >= 0 {
			s.Path[len(s.Path)-1] = jsonEscapes.unescape(name)
		}
		if len(name) >= minRun {
			j.onLeaf(jsonLeaf{start: start + 1, end: end - 1, isName: true}, s.Path[:len(s.Path)-1], nil)
		}
	case exactjson.Scalar:
		j.scalar(start, end)
	}
}

// push opens an object or array.
func (j *jsonScan) push(isObject bool, start int) {
	n := len(j.open)
	f := frame{isObject: isObject, first: len(j.pending)}
	if n < cap(j.open) {
		f.members = j.open[:n+1][n].members[:0] // use its memory again
	}
	if n > 0 {
		outer := &j.open[n-1]
		name := j.tokens.Path[n-1]
		switch {
		case !outer.isObject:
			f.labels = outer.labels
		case IsValueName(name):
			f.labels = labelsOf(outer.labels, outer.members)
		}
	}
	if n == 0 || !j.open[n-1].isObject {
		j.resume = start
	}
	if isObject && j.onOpen != nil {
		j.onOpen()
	}
	j.open = append(j.open, f)
}

// close closes the innermost object or array, which is at path.
func (j *jsonScan) close(path []string) {
	f := &j.open[len(j.open)-1]
	if j.waitsForOuter(path) {
		in := &innerObject{*f, path[len(path)-1]}
		f.members = nil // the innerObject has this list
		for i := f.first; i < len(j.pending); i++ {
			j.pending[i].inner = in
		}
	} else {
		j.reportMembers(f, path)
	}
	if f.isObject && j.onClose != nil {
		j.onClose(f.numbers)
	}
	j.open = j.open[:len(j.open)-1]
}

// waitsForOuter reports whether the leaves of the innermost object wait for the end of
// the object around it.
func (j *jsonScan) waitsForOuter(path []string) bool {
	n := len(j.open)
	isObjectInObject := n >= 2 && j.open[n-1].isObject && j.open[n-2].isObject
	if !isObjectInObject || !IsValueName(path[len(path)-1]) {
		return false
	}
	for _, l := range j.pending[j.open[n-1].first:] {
		if l.inner != nil {
			return false
		}
	}
	return true
}

// reportMembers calls onLeaf for the pending leaves of an object or array that ends:
// its members, and those of the inner objects that wait for it.
func (j *jsonScan) reportMembers(f *frame, path []string) {
	for i := f.first; i < len(j.pending); i++ {
		l := j.pending[i]
		j.path = append(j.path[:0], path...)
		if l.inner == nil {
			j.path = append(j.path, l.name)
			j.onLeaf(l, j.path, f)
			continue
		}
		container := l.inner.frame
		container.labels = labelsOf(container.labels, f.members)
		j.path = append(j.path, l.inner.name, l.name)
		j.onLeaf(l, j.path, &container)
	}
	j.pending = j.pending[:f.first]
}

// scalar handles a string, a number, or one of true, false and null, which is no leaf.
// A member of an object waits in pending until the object ends.
func (j *jsonScan) scalar(start, end int) {
	var container *frame // nil at the top
	name := ""
	if n := len(j.open); n > 0 {
		container = &j.open[n-1]
		name = j.tokens.Path[n-1]
	}
	isMember := container != nil && container.isObject
	if !isMember {
		j.resume = start
	}
	l := jsonLeaf{start: start, end: end, name: name}
	switch j.tokens.Kind {
	case exactjson.String:
		l.start, l.end = start+1, end-1
	case exactjson.Number:
		l.kind = Number
	default:
		return
	}
	raw := j.text[l.start:l.end]
	if isMember && isNumbering(name, l.kind) {
		container.numbers += name + raw + "\x00"
	}
	isShortNumber := l.kind == Number && len(raw) < minValue
	if isShortNumber && name == "" {
		return
	}
	if !isMember {
		j.onLeaf(l, j.tokens.Path, container)
		if container != nil {
			container.labelNext(raw, l.kind)
		}
		return
	}
	container.addMember(name, raw, l.kind)
	if raw != "" {
		j.pending = append(j.pending, l)
	}
}

// addMember keeps a short member of an object for the other leaves of the object.
func (f *frame) addMember(name, raw string, kind Kind) {
	isShort := kind == Text && len(raw) > 0 && len(raw) < longestMember
	if isShort && len(f.members) < mostMembers {
		f.members = append(f.members, Member{name, raw})
	}
}

// labelNext keeps an element of an array as the label of the next one, such as the
// first of ["api_key", "..."].
func (f *frame) labelNext(raw string, kind Kind) {
	f.members = f.members[:0]
	isText := kind == Text && strings.IndexByte(raw, ' ') < 0
	if isText && len(raw) >= 3 && len(raw) < longestMember {
		f.members = append(f.members, Member{"", raw})
	}
}

// isNumbering reports whether a member of an object says to which of several
// texts that come at once the strings of the object belong.
func isNumbering(name string, kind Kind) bool {
	isIndex := name == "index" || strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "Index")
	return isIndex && kind == Number || name == "item_id"
}

// placeOf returns the place of a leaf of JSON text. The text is at the place at. The name of
// the leaf is the innermost one of its path. If it means no more than "value", the names
// around it are labels, up to the first that means more.
func placeOf(l jsonLeaf, path []string, container *frame, at place) place {
	outer := at.name
	p := at.inside(JSON)
	p.kind = l.kind
	p.name = ""
	if len(at.path) > 0 {
		path = append(at.path[:len(at.path):len(at.path)], path...)
	}
	if l.isName {
		p.path = nil
		return p
	}
	p.path = path
	if container != nil {
		p.members = container.members
		switch {
		case !container.isObject:
			p.labels = labelsOf(container.labels, container.members)
			p.members = nil
		case IsValueName(l.name):
			p.labels = labelsOf(container.labels, container.members)
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		name := path[i]
		if name == "" {
			continue
		}
		if p.name == "" {
			p.name = name
		} else {
			p.labels = append(p.labels[:len(p.labels):len(p.labels)], name)
		}
		if !IsValueName(name) {
			break
		}
	}
	if p.name == "" {
		p.name = outer
	}
	return p
}

// editsOfJSONLeaf returns the edits of a leaf as edits of the JSON.
func (c *walk) editsOfJSONLeaf(text string, l jsonLeaf, p place) []Edit {
	raw := text[l.start:l.end]
	switch {
	case l.kind == Number:
		return shift(c.editsOfJSONNumber(raw, p), l.start)
	case l.isName:
		edits := c.editsOfProse(jsonEscapes.unescape(raw), p)
		return shift(jsonEscapes.liftEdits(raw, edits), l.start)
	}
	edits := c.editsOfValue(jsonEscapes.unescape(raw), p)
	if edits == nil {
		return nil
	}
	return shift(jsonEscapes.liftEdits(raw, edits), l.start)
}

// editsOfJSON returns the edits of a text that begins as JSON. If the text goes on as
// something else, that is searched as prose. ok is false if nothing is JSON.
func (c *walk) editsOfJSON(s string, p place) (edits []Edit, ok bool) {
	isString := s[skipSpace(s, 0)] == '"'
	if isString && !isOneString(s) {
		return nil, false
	}
	if !c.mayDecode(p, len(s)) {
		return nil, false
	}
	found := 0
	j := c.scanner()
	defer c.release(j)
	j.onLeaf = func(l jsonLeaf, path []string, container *frame) {
		found++
		edits = append(edits, c.editsOfJSONLeaf(s, l, placeOf(l, path, container, p))...)
	}
	isWhole := j.run(s, 0, false)
	switch {
	case j.values > 1:
		edits = c.editsOfJSONLines(s, p)
	case !isWhole && found == 0 && j.values == 0:
		return nil, false
	case !isWhole:
		rest := max(j.resume, j.end)
		edits = slices.DeleteFunc(edits, func(e Edit) bool { return e.End > rest })
		sortEdits(edits)
		edits = append(edits, shift(c.editsOfProse(s[rest:], p), rest)...)
	default:
		sortEdits(edits)
	}
	if p.name != "" { // all of the text is the value of something
		edits = changesOnly(merge(c.findInLeaf(s, asWhole(p)), edits))
	}
	return edits, true
}

// isOneString reports whether a text is one JSON string.
func isOneString(s string) bool {
	start := skipSpace(s, 0)
	end := len(strings.TrimRight(s, " \t\r\n"))
	if end-start < 2 || s[end-1] != '"' {
		return false
	}
	tokens := exactjson.Scan(s)
	return tokens.Next() && tokens.End == end
}

// editsOfNumber returns the edits of a text that is a JSON number and nothing else,
// as the body of an answer may be. ok is false if nothing is replaced.
func (c *walk) editsOfNumber(s string, p place) (edits []Edit, ok bool) {
	if p.depth > 0 {
		return nil, false
	}
	start := skipSpace(s, 0)
	end, ok := exactjson.ScanNumber(s, start)
	if !ok || skipSpace(s, end) != len(s) {
		return nil, false
	}
	p.kind = Number
	edits = shift(changesOnly(c.findInLeaf(s[start:end], p)), start)
	return edits, len(edits) > 0 // hexadecimal may have nothing but digits
}
