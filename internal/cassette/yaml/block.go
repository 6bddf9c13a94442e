package yaml

// Parse parses a text, which is one document and has line ends "\n". A document without
// a value gives an empty scalar at the end of the text. The error has the first place that is
// not YAML, that readers of YAML understand differently, or that the package does not
// support.
func (f Format) Parse(text string) (root *Node, err *Error) {
	defer func() {
		if e := recover(); e != nil {
			err = e.(*Error) // or panics on
		}
	}()
	p := &parser{Format: f, text: text, nodes: f.Nodes}
	if p.nodes == nil {
		p.nodes = new(Nodes)
	}
	p.checkText()
	return p.document(), nil
}

func (p *parser) document() *Node {
	p.nextContent()
	if p.peek(0) == '%' && p.pos == p.bol {
		p.failf(p.pos, "%s has no directives; delete this line", p.Name)
	}
	p.passMarker("---")
	if p.eof() {
		return p.node(p.pos)
	}
	n := p.blockNode(-1, true, false)
	p.nextContent()
	p.passMarker("...")
	if p.marker("---") {
		p.failf(p.pos, "a second document starts here; %s is one document", p.Name)
	}
	if !p.eof() {
		p.failf(p.pos, "want the end of the file, found %q; check the indentation", p.rest(p.pos))
	}
	return n
}

func (p *parser) passMarker(m string) {
	if p.marker(m) {
		p.pos += len(m)
		p.endLine()
		p.nextContent()
	}
}

// blockNode reads a value as blockValue does, and keeps it if it has an anchor.
func (p *parser) blockNode(n int, inline, same bool) *Node {
	return p.keep(p.blockValue(n, inline, same))
}

// blockValue reads the value after an indicator of a collection that is indented
// by n. With inline, a collection may start on the indicator's line. With same,
// a sequence may be indented like the collection: the value of a mapping's key.
func (p *parser) blockValue(n int, inline, same bool) *Node {
	start := p.pos
	p.skipBlanks()
	nd := p.node(p.pos)
	p.properties(nd)
	p.skipComment()
	if !p.eol() {
		// After an anchor, a collection may start on the next line only: on this one, the
		// anchor would be that of its first key.
		return p.content(nd, n, nd.Pos-p.bol, inline && nd.Anchor == 0)
	}
	indent := p.nextContent()
	hasProperties := nd.Tag != "" || nd.Anchor > 0
	areBelow := p.peek(0) == '!' || p.peek(0) == '&'
	switch {
	case indent > n && areBelow && !hasProperties:
		return p.blockValue(n, true, false)
	case indent > n:
		// A tag on a line of its own would be a collection's, and ours are for text.
		nd.Pos = p.pos
		return p.content(nd, n, indent, nd.Tag == "")
	case same && indent == n && p.dash():
		nd.Pos = p.pos
		return p.blockSequence(nd, n)
	case nd.Tag == "":
		nd.Pos = start
	}
	return nd
}

// content reads the value at pos, which belongs to a collection indented by n
// and would itself be one indented by col. With block it may be one.
func (p *parser) content(nd *Node, n, col int, block bool) *Node {
	switch c := p.peek(0); {
	case p.dash():
		if nd.Tag != "" {
			p.failf(nd.Pos, "a list has no tag; %s is for text", nd.Tag)
		}
		if !block {
			p.failf(p.pos, "a list cannot start on the line of its key; start it on the next line")
		}
		return p.blockSequence(nd, col)
	case c == '{' || c == '[':
		p.flow(nd, false)
		p.skipBlanks()
		if p.peek(0) == ':' {
			p.failf(nd.Pos, "a collection cannot be a key; keys are text")
		}
	case c == '|' || c == '>':
		p.blockScalar(nd, n)
		return nd
	case p.isAlias():
		p.alias(nd)
	default:
		line := p.bol
		p.scalar(nd, false)
		switch isKey := p.colon(); {
		case isKey && nd.Anchor > 0 && !block:
			p.failf(nd.Pos, "a key cannot have an anchor; start the mapping on the line below &%s",
				p.names[nd.Anchor-1])
		case isKey && !block:
			p.failf(nd.Pos, "a mapping cannot start here; quote text that has %q in it", ": ")
		case isKey && p.bol != line:
			p.failf(nd.Pos, "a key must not run over lines")
		case isKey:
			return p.blockMapping(nd, col)
		case nd.Style == Plain:
			p.plainLines(nd, n)
		}
	}
	p.endLine()
	return nd
}

// blockSequence reads the sequence whose first dash is at pos, in column col.
func (p *parser) blockSequence(nd *Node, col int) *Node {
	p.noTab(nd.Pos)
	nd.Kind = Sequence
	first := p.begin()
	for {
		dash := p.pos
		p.pos++
		if p.peek(0) == '\t' {
			p.failf(p.pos, "a tab after %q; use a space", "-")
		}
		e := p.blockNode(col, true, false)
		e.Item = int32(dash)
		p.add(e)
		indent := p.nextContent()
		if indent > col {
			p.failf(p.pos, "the indentation fits no line above: want %d spaces (for the next "+
				"element), or as many as the lines of the element above have (to continue it)", col)
		}
		if indent < col || !p.dash() {
			break
		}
	}
	p.end(nd, first)
	return nd
}

// blockMapping reads the mapping whose first key was just read: key is that
// key, a colon is at pos.
func (p *parser) blockMapping(key *Node, col int) *Node {
	p.noTab(key.Pos)
	m := p.node(key.Pos)
	m.Kind = Mapping
	m.Anchor = key.Anchor // that of the first key, on the line above
	key.Anchor = 0
	first := p.begin()
	for {
		p.passColon(key)
		outer := p.isBelowJSONKey
		p.isBelowJSONKey = outer || key.Text == p.JSONKey && p.ParseJSON != nil
		e := p.blockNode(col, false, true)
		e.Key = key
		p.add(e)
		p.isBelowJSONKey = outer
		indent := p.nextContent()
		if indent > col {
			p.failf(p.pos, "the indentation fits no line above; want %d spaces", col)
		}
		if indent < col {
			break
		}
		key = p.blockKey()
	}
	p.end(m, first)
	return m
}
