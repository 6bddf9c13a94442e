package oldreader

// flow reads the flow collection at pos into nd. With asJSON, it may be JSON in place of a tree.
func (p *treeParser) flow(nd *Node, asJSON bool) {
	open, end := p.pos, byte(']')
	nd.Kind = Sequence
	if p.text[open] == '{' {
		nd.Kind, end = Mapping, '}'
	}
	if asJSON && nd.Tag == "" && nd.Anchor == 0 { // an alias may stand where it is no JSON
		if json, n := p.JSON(p.text[open:]); n > 0 {
			p.pos += n
			nd.Text = json
			return
		}
	}
	p.begin(nd)
	p.pos++
	for p.flowSpace(); p.peek(0) != end; p.flowSpace() {
		if p.eof() {
			p.failf(open, "a bracket (%q) without its end", rune(p.text[open]))
		}
		var key *Node
		if nd.Kind == Mapping {
			key = p.flowKey()
			p.passColon(key)
		}
		e := p.keep(p.flowNode(nd.Kind == Mapping))
		e.Key = key
		nd.Elems = append(nd.Elems, e)
		p.flowSpace()
		switch c := p.peek(0); {
		case c == ',':
			p.pos++
		case c == ':' && nd.Kind == Sequence:
			p.failf(p.pos, "a key inside a list; write {key: value}, or put the text in quotes")
		case c != end && c != 0:
			p.failf(p.pos, "want %q or %q, found %q; put text with such characters in quotes", ',', rune(end), p.rest(p.pos))
		}
	}
	p.pos++
	p.end(nd)
}

// flowSpace skips white space, line ends and comments within a flow collection.
func (p *treeParser) flowSpace() {
	for {
		p.skipBlanks()
		p.skipComment()
		if p.peek(0) != '\n' {
			return
		}
		p.newline()
		if p.atMarker() {
			p.failf(p.pos, "a document marker inside brackets; is a bracket missing above?")
		}
	}
}

// flowNode reads a value within a flow collection. In a mapping it may be
// missing, which is null.
func (p *treeParser) flowNode(mapping bool) *Node {
	p.flowSpace()
	nd := p.node(p.pos)
	p.properties(nd)
	p.flowSpace()
	switch c := p.peek(0); {
	case mapping && (c == ',' || c == '}'):
		return nd
	case c == '{' || c == '[':
		p.flow(nd, mapping && p.within)
		return nd
	case p.isAlias():
		p.alias(nd)
	default:
		p.scalar(nd, true)
		if nd.Style != Plain {
			return nd
		}
	}
	p.flowSpace()
	if c := p.peek(0); c != ',' && c != ']' && c != '}' && c != ':' && c != 0 {
		p.failf(nd.Pos, "text in brackets must end on its line; put it in quotes, or close the bracket")
	}
	return nd
}
