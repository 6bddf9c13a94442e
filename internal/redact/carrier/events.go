package carrier

import "strings"

// A Field is a field of an event of a stream.
type Field struct{ Name, Value string }

// EditsOfEvents returns the edits of each field of the events of a stream. Texts that
// a client joins from several events are searched as a whole, too.
func (w *Walker) EditsOfEvents(fields []Field) ([][]Edit, error) {
	size := 0
	for _, f := range fields {
		size += len(f.Value)
	}
	c := w.newWalk(size)
	s := joiner{walk: c, fieldEdits: make([][]Edit, len(fields))}
	for i, f := range fields {
		s.addField(i, f)
	}
	s.searchJoined(fields)
	return s.fieldEdits, c.err
}

// A joiner joins the texts that are split over several events of a stream. The pieces
// of such a text have the same path, and are in objects with the same numbers: a stream
// may send several texts at once, and numbers them.
type joiner struct {
	*walk
	at         place // of the stream
	pieces     []piece
	paths      map[string]*streamPath // by key
	key        []byte                 // the buffer for a key
	pieceEdits [][]Edit               // the edits of pieces; see piece.edits. The first is nil
	fieldEdits [][]Edit               // the edits of each field, the result
}

// A piece is a text of an event: a string of its JSON, or a field that is not JSON.
type piece struct {
	field      int32 // the index of the field
	edits      int32 // the index of the edits of the text in pieceEdits, or 0 if it has none
	start, end int32 // where it is in the field; start is 0 only if the field is not JSON
	text       string
	path       *streamPath
	numbers    string // the numbers of the objects around the piece; see isNumbering
}

// isInJSON reports whether the piece is a string of the JSON of its field.
func (pc *piece) isInJSON() bool { return pc.start > 0 }

// A streamPath is a path that texts of several events have, and the indices of the pieces at
// this path.
type streamPath struct {
	place  place
	pieces []int
}

// addField searches the field with index i, and adds its pieces: the strings of its JSON,
// or all of it.
func (s *joiner) addField(i int, f Field) {
	if len(f.Value) == 0 {
		return
	}
	first := len(s.pieces)
	var direct []Edit // the edits of numbers and names
	var firsts []int  // the index of the first piece of each open object
	j := s.scanner()
	defer s.release(j)
	j.onLeaf = func(l jsonLeaf, path []string, container *frame) {
		p := placeOf(l, path, container, s.at)
		if l.kind != Text || l.isName {
			direct = append(direct, s.editsOfJSONLeaf(f.Value, l, p)...)
			return
		}
		text := jsonEscapes.unescape(f.Value[l.start:l.end])
		numbers := ""
		if l.inner != nil {
			numbers = l.inner.numbers // the object of the leaf has ended
		}
		s.pieces = append(s.pieces, piece{
			field: int32(i), start: int32(l.start), end: int32(l.end), text: text,
			path: s.streamPathOf(f.Name, p), numbers: numbers, edits: s.store(s.editsOfValue(text, p)),
		})
	}
	j.onOpen = func() { firsts = append(firsts, len(s.pieces)) }
	j.onClose = func(numbers string) {
		from := firsts[len(firsts)-1]
		firsts = firsts[:len(firsts)-1]
		if numbers == "" {
			return
		}
		for k := from; k < len(s.pieces); k++ {
			s.pieces[k].numbers = numbers + s.pieces[k].numbers
		}
	}
	mayBeJSON := strings.IndexByte("{[", f.Value[skipSpace(f.Value+" ", 0)%len(f.Value)]) >= 0
	if mayBeJSON && j.run(f.Value, 0, false) && j.values == 1 {
		s.fieldEdits[i] = direct
		return
	}
	s.pieces = append(s.pieces[:first], piece{
		field: int32(i), end: int32(len(f.Value)), text: f.Value,
		path: s.streamPathOf(f.Name, s.at), edits: s.store(s.editsOfValue(f.Value, s.at)),
	})
}

// store adds the edits of a piece to pieceEdits, and returns their index, or 0 if there are
// none.
func (s *joiner) store(edits []Edit) int32 {
	if len(edits) == 0 {
		return 0
	}
	if len(s.pieceEdits) == 0 {
		s.pieceEdits = append(s.pieceEdits, nil)
	}
	s.pieceEdits = append(s.pieceEdits, edits)
	return int32(len(s.pieceEdits) - 1)
}

// streamPathOf returns the streamPath of a piece, by the name of its field and its path in
// the JSON of the field. Pieces with the same name and path share one streamPath, which is
// made for the first of them. For example, these two events have one for "Hel" and "lo",
// with the key "data\x00delta\x00text":
//
//	data: {"delta": {"text": "Hel"}}
//	data: {"delta": {"text": "lo"}}
func (s *joiner) streamPathOf(field string, p place) *streamPath {
	s.key = append(s.key[:0], field...)
	for _, name := range p.path {
		s.key = append(s.key, 0)
		s.key = append(s.key, name...)
	}
	known := s.paths[string(s.key)]
	if known != nil {
		return known
	}

	// The path is a buffer of the scanner. Members and labels belong to one event.
	p.path = append([]string(nil), p.path...)
	p.members = nil
	p.labels = nil
	added := &streamPath{place: p}
	if s.paths == nil {
		s.paths = map[string]*streamPath{}
	}
	s.paths[string(s.key)] = added
	return added
}

// searchJoined searches the joined texts, and sets the edits of each field.
func (s *joiner) searchJoined(fields []Field) {
	s.joinPaths()
	s.setFieldEdits(fields)
}

// joinPaths searches the joined texts of each path, in the order of the first pieces.
func (s *joiner) joinPaths() {
	for i := range s.pieces {
		path := s.pieces[i].path
		path.pieces = append(path.pieces, i)
	}
	for i := range s.pieces {
		path := s.pieces[i].path
		if path.pieces != nil {
			s.joinPath(path)
			path.pieces = nil // other pieces of the path need not search it again
		}
	}
}

// setFieldEdits sets the edits of each field to those of its pieces, in order.
func (s *joiner) setFieldEdits(fields []Field) {
	for i := range s.pieces {
		pc := &s.pieces[i]
		if pc.edits == 0 {
			continue
		}
		edits := s.pieceEdits[pc.edits]
		if pc.isInJSON() {
			raw := fields[pc.field].Value[pc.start:pc.end]
			edits = shift(jsonEscapes.liftEdits(raw, edits), int(pc.start))
		}
		s.fieldEdits[pc.field] = append(s.fieldEdits[pc.field], edits...)
	}
	for _, edits := range s.fieldEdits {
		sortEdits(edits)
	}
}

// joinPath searches the joined texts of one path. There is one text for each number. If
// nearly every piece has a number of its own, the server counts the pieces, and all of
// them are searched as one text, too.
func (s *joiner) joinPath(path *streamPath) {
	if len(path.pieces) < 2 {
		return
	}
	var order []string
	groups := map[string][]int{}
	for _, i := range path.pieces {
		numbers := s.pieces[i].numbers
		if groups[numbers] == nil {
			order = append(order, numbers)
		}
		groups[numbers] = append(groups[numbers], i)
	}
	for _, numbers := range order {
		s.join(path, groups[numbers])
	}
	countsPieces := len(order) > 1 && 2*len(order) >= len(path.pieces)
	if countsPieces {
		s.join(path, path.pieces)
	}
}

// join searches the text of several pieces, whose indices are list, and gives the edits
// of the text to the pieces.
func (s *joiner) join(path *streamPath, list []int) {
	at := path.place
	size := 0
	areEqual := true
	for k, i := range list {
		size += len(s.pieces[i].text)
		areEqual = areEqual && s.pieces[i].text == s.pieces[list[0]].text
		isInSameField := k > 0 && s.pieces[i].field == s.pieces[list[k-1]].field
		if isInSameField {
			// Elements of one array may be one text. The name is that of each element,
			// not that of the text.
			at.name = ""
			at.path = nil
		}
	}
	// A value that is equal in all events is an ID, not a piece of a text.
	if areEqual || !s.mayDecode(at, size) {
		return
	}
	var b strings.Builder
	b.Grow(size)
	for _, i := range list {
		b.WriteString(s.pieces[i].text)
	}
	k, start := 0, 0 // a piece of the list, and where it begins in the text
	for _, e := range s.editsOfValue(b.String(), at) {
		for k < len(list)-1 && start+len(s.pieces[list[k]].text) <= e.Start {
			start += len(s.pieces[list[k]].text)
			k++
		}
		s.splitEdit(e, list[k:], start)
	}
}

// splitEdit gives an edit of a joined text to the pieces in which it is. The first piece
// of list begins at start. The replacement is written in the first piece; the part of
// the edit in each further piece is removed.
func (s *joiner) splitEdit(e Edit, list []int, start int) {
	text, causes := e.Text, e.Causes
	for _, i := range list {
		pc := &s.pieces[i]
		from, to := max(e.Start-start, 0), min(e.End-start, len(pc.text))
		if from < to || text != "" {
			part := []Edit{{Start: from, End: max(from, to), Text: text, Causes: causes}}
			if pc.edits == 0 {
				pc.edits = s.store(part)
			} else {
				s.pieceEdits[pc.edits] = merge(part, s.pieceEdits[pc.edits])
			}
		}
		text, causes = "", nil
		start += len(pc.text)
		if start >= e.End {
			return
		}
	}
}

// isEventStream reports whether a text is a stream of server-sent events: it has a field
// "data", and begins with a field, before which there may be two comments.
func isEventStream(s string) bool {
	for range 3 {
		for _, field := range []string{"data:", "event:", "id:", "retry:"} {
			if strings.HasPrefix(s, field) {
				return strings.Contains(s, "data:")
			}
		}
		if !strings.HasPrefix(s, ":") {
			return false
		}
		_, s, _ = strings.Cut(s, "\n") // a comment
		s = strings.TrimLeft(s, "\r\n")
	}
	return false
}

// dataLines are the lines of one event, read as one text.
var dataLines = &escaping{
	marks: "\r\n",
	decode: func(s string) (int, string) {
		for _, line := range []string{"\r\ndata: ", "\r\ndata:", "\ndata: ", "\ndata:"} {
			if strings.HasPrefix(s, line) {
				return len(line), "\n"
			}
		}
		return 0, ""
	},
	escape: func(text, _ string) string { return strings.ReplaceAll(text, "\n", "\ndata: ") },
}

// editsOfStream returns the edits of server-sent events in a text.
func (c *walk) editsOfStream(s string, p place) []Edit {
	if !c.mayDecode(p, len(s)) {
		return changesOnly(c.findInLeaf(s, p))
	}
	in := p
	in.depth++
	var fields []Field
	var raws []span
	for at := 0; at < len(s); {
		end := lineEnd(s, at)
		isData := strings.HasPrefix(s[at:end], "data:")
		start := at
		if isData {
			start = at + len("data:")
			if start < end && s[start] == ' ' {
				start++
			}
			for strings.HasPrefix(s[min(len(s), end+1):], "data:") {
				end = lineEnd(s, end+1)
			}
		}
		raw := strings.TrimSuffix(s[start:end], "\r")
		if len(raw) >= minValue {
			name := "data"
			if !isData {
				name, _, _ = strings.Cut(raw, ":")
			}
			fields = append(fields, Field{name, dataLines.unescape(raw)})
			raws = append(raws, span{start, start + len(raw)})
		}
		at = end + 1
	}
	j := joiner{walk: c, at: in, fieldEdits: make([][]Edit, len(fields))}
	for i, f := range fields {
		j.addField(i, f)
	}
	j.searchJoined(fields)
	var edits []Edit
	for i, found := range j.fieldEdits {
		raw := s[raws[i].start:raws[i].end]
		edits = append(edits, shift(dataLines.liftEdits(raw, found), raws[i].start)...)
	}
	return changesOnly(merge(c.findInLeaf(s, asWhole(p)), edits))
}

// lineEnd returns where the line ends that goes on at a place.
func lineEnd(s string, at int) int {
	n := strings.IndexByte(s[at:], '\n')
	if n < 0 {
		return len(s)
	}
	return at + n
}

// editsOfJSONLines returns the edits of several JSON values, one behind the other: a
// text may be split over them.
func (c *walk) editsOfJSONLines(s string, p place) []Edit {
	var fields []Field
	var starts []int
	at := 0
	for at < len(s) {
		start := skipSpace(s, at)
		if start == len(s) {
			break
		}
		j := c.scanner()
		j.onLeaf = func(jsonLeaf, []string, *frame) {}
		ok := j.run(s, start, true)
		c.release(j)
		if !ok {
			break
		}
		fields = append(fields, Field{"", s[start:j.end]})
		starts = append(starts, start)
		at = j.end
	}
	in := p
	in.depth++
	l := joiner{walk: c, at: in, fieldEdits: make([][]Edit, len(fields))}
	for i, f := range fields {
		l.addField(i, f)
	}
	l.searchJoined(fields)
	var edits []Edit
	for i, found := range l.fieldEdits {
		edits = append(edits, shift(found, starts[i])...)
	}
	if skipSpace(s, at) < len(s) {
		edits = append(edits, shift(c.editsOfProse(s[at:], p), at)...)
	}
	return edits
}
