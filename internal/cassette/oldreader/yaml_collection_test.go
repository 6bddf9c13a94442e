package oldreader

// node returns a new node.
func (p *treeParser) node(pos int) *Node {
	nd := &cut(&p.nodes, 1)[0]
	nd.Pos = pos
	return nd
}

// begin begins the collection nd, with room for a few elements.
func (p *treeParser) begin(nd *Node) {
	p.depth++
	if p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	nd.Elems = cut(&p.elems, 4)[:0]
}

// end ends a collection. It refuses a mapping that has a key twice, however it is written.
func (p *treeParser) end(nd *Node) {
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
