package yaml

// begin begins the collection nd, with room for what events have.
func (p *parser) begin(nd *Node) {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	const few = 2
	if nd.Elems = make([]Node, 0, few); nd.Kind == Mapping {
		nd.Keys = make([]Node, 0, few)
	}
}

// end ends a collection.
func (p *parser) end(nd *Node) {
	p.depth--
	p.checkKeys(nd.Keys)
}

// checkKeys refuses a mapping that has a key twice, however it is written.
func (p *parser) checkKeys(keys []Node) {
	seen := map[string]int{}
	for i := range keys {
		key := &keys[i]
		text, err := key.Decode()
		if err != nil {
			text = key.Text
		}
		if first, ok := seen[text]; ok {
			line, _ := Position(p.text, first)
			p.failf(key.Pos, "key %q is already in line %d; remove one of them", Clip(text), line)
		}
		seen[text] = key.Pos
	}
}
