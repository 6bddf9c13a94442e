package yaml

// node returns a new node. It makes several at once.
func (p *parser) node(pos int) *Node {
	if len(p.made) == 0 {
		p.made = make([]Node, 16)
	}
	nd := &p.made[0]
	p.made = p.made[1:]
	nd.Pos = pos
	return nd
}

// begin begins the collection nd, with room for a few elements, which it makes for several at once.
func (p *parser) begin(nd *Node) {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	const few = 4
	if len(p.room) < few {
		p.room = make([]*Node, 16*few)
	}
	nd.Elems, p.room = p.room[:0:few], p.room[few:]
}

// end ends a collection. It refuses a mapping that has a key twice, however it is written.
func (p *parser) end(nd *Node) {
	p.depth--
	if nd.Kind != Mapping || len(nd.Elems) < 2 {
		return
	}
	seen := map[string]int{}
	for _, e := range nd.Elems {
		text, err := e.Key.Decode()
		if err != nil {
			text = e.Key.Text
		}
		if first, ok := seen[text]; ok {
			line, _ := Position(p.text, first)
			p.failf(e.Key.Pos, "key %q is already in line %d; remove one of them", Clip(text), line)
		}
		seen[text] = e.Key.Pos
	}
}
