package carrier

import (
	"encoding/xml"
	"io"
	"strings"
)

// deepestMarkup is how many elements may be open at once; those that are deeper
// have the name of the last one. HTML leaves many elements open.
const deepestMarkup = 200

// An element is an element of markup that is open.
type element struct {
	name       string
	attributes []Member
	members    []Member // the short texts of its children, by their names
	pending    []markupLeaf
}

// A markupLeaf is a text or attribute. A text waits for the end of the element
// around its own, so that it has the others there next to it.
type markupLeaf struct {
	start, end int
	isEscaped  bool // it may have entities
	name       string
	own        []Member // the attributes of its element
}

// A markupScan finds the leaves of XML or HTML.
type markupScan struct {
	text string
	open []element // the first one stands for the text as a whole
	// onLeaf is called for each leaf.
	onLeaf func(l markupLeaf, path []string, members []Member, labels []string)
	path   []string

	attributes []markupLeaf // the buffer for the attributes of an element
}

// editsOfMarkup returns the edits of a text that begins as XML or HTML: of its texts,
// attributes and comments. From where it is neither, it is searched as prose.
// ok is false if it does not begin with an element.
func (c *walk) editsOfMarkup(s string, p place) (edits []Edit, ok bool) {
	if !strings.Contains(s, ">") || !c.mayDecode(p, len(s)) {
		return nil, false
	}
	m := markupScan{text: s, open: []element{{name: p.name}}}
	m.onLeaf = func(l markupLeaf, path []string, members []Member, labels []string) {
		in := p.inside(Markup)
		in.name, in.path, in.members, in.labels = l.name, path, members, labels
		if len(p.path) > 0 {
			in.path = append(p.path[:len(p.path):len(p.path)], path...)
		}
		raw := s[l.start:l.end]
		if l.isEscaped {
			found := c.editsOfValue(xmlEscapes.unescape(raw), in)
			edits = append(edits, shift(xmlEscapes.liftEdits(raw, found), l.start)...)
		} else {
			edits = append(edits, shift(c.editsOfValue(raw, in), l.start)...)
		}
	}
	end := m.run()
	if end == 0 {
		return nil, false
	}
	sortEdits(edits)
	if end < len(s) {
		edits = append(edits, shift(c.editsOfProse(s[end:], p), end)...)
	}
	return changesOnly(merge(c.findInLeaf(s, asWhole(p)), edits)), true
}

// run scans the text, and returns the place up to which it is markup.
func (m *markupScan) run() int {
	d := xml.NewDecoder(strings.NewReader(m.text))
	d.Strict = false
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	end, elements := 0, 0
	for {
		start := int(d.InputOffset())
		token, err := d.RawToken()
		if err != nil {
			break
		}
		end = int(d.InputOffset())
		switch t := token.(type) {
		case xml.StartElement:
			elements++
			// A self-closing element comes with an end of no length.
			m.startElement(t.Name.Local, start, end)
		case xml.EndElement:
			m.endElement(t.Name.Local)
		case xml.CharData:
			m.addText(start, end)
		case xml.Comment:
			m.onLeaf(markupLeaf{start: start + len("<!--"), end: end - len("-->")}, m.path, nil, nil)
		case xml.ProcInst, xml.Directive:
			m.onLeaf(markupLeaf{start: start, end: end}, m.path, nil, nil)
		}
	}
	for len(m.open) > 0 {
		m.closeInnermost()
	}
	if elements == 0 {
		return 0
	}
	return end
}

// startElement opens an element, and calls onLeaf for its attributes.
func (m *markupScan) startElement(name string, start, end int) {
	e := element{name: name}
	leaves := m.attributes[:0]
	at := start + 1
	for at < end {
		open := strings.IndexAny(m.text[at:end], `"'`)
		if open < 0 {
			break
		}
		open += at
		length := strings.IndexByte(m.text[open+1:end], m.text[open])
		if length < 0 {
			break
		}
		before := strings.TrimRight(m.text[at:open], "= \t\r\n")
		attribute := before[strings.LastIndexAny(before, " \t\r\n\"'")+1:]
		from, to := open+1, open+1+length
		leaves = append(leaves, markupLeaf{start: from, end: to, isEscaped: true, name: attribute})
		if length > 0 && length < longestMember {
			e.attributes = append(e.attributes, Member{attribute, m.text[from:to]})
		}
		at = to + 1
	}
	m.attributes = leaves
	for _, l := range leaves {
		var labels []string
		if IsValueName(l.name) {
			labels = labelsOf(nil, e.attributes)
		}
		m.onLeaf(l, append(m.path, name), e.attributes, labels)
	}
	if len(m.open) < deepestMarkup {
		m.open = append(m.open, e)
		m.path = append(m.path, name)
	}
}

// addText adds a text between tags to the leaves that wait for the end of the element
// around that of the text.
func (m *markupScan) addText(start, end int) {
	isCDATA := strings.HasPrefix(m.text[start:end], "<![CDATA[")
	if isCDATA {
		start += len("<![CDATA[")
		end -= len("]]>")
	}
	if skipSpace(m.text[:end], start) == end {
		return
	}
	e := &m.open[len(m.open)-1]
	parent := &m.open[max(0, len(m.open)-2)]
	l := markupLeaf{start: start, end: end, isEscaped: !isCDATA, name: e.name, own: e.attributes}
	parent.pending = append(parent.pending, l)
	isShort := end-start < longestMember && len(parent.members) < mostMembers
	if isShort {
		parent.members = append(parent.members, Member{e.name, m.text[start:end]})
	}
}

// endElement closes the innermost element of a name, and all elements in it. It closes none
// if no open element has the name.
func (m *markupScan) endElement(name string) {
	for i := len(m.open) - 1; i > 0; i-- {
		if m.open[i].name == name {
			for len(m.open) > i {
				m.closeInnermost()
			}
			return
		}
	}
}

// closeInnermost closes the innermost element, and calls onLeaf for the texts that wait for
// its end.
func (m *markupScan) closeInnermost() {
	e := &m.open[len(m.open)-1]
	for _, l := range e.pending {
		labels := labelsOf(nil, l.own)
		if IsValueName(l.name) {
			labels = labelsOf(labels, e.members)
		}
		path := append(m.path, l.name)
		m.onLeaf(l, path, e.members, labels)
	}
	m.open = m.open[:len(m.open)-1]
	if len(m.path) > 0 {
		m.path = m.path[:len(m.path)-1]
	}
}
