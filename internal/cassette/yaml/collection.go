package yaml

// node returns a new node.
func (p *parser) node(pos int) *Node {
	nd := &p.nodes.nodes.Take(1)[0]
	nd.Pos = pos
	return nd
}

// begin begins a collection. Its elements are added with add, and end gives them to their
// collection: first is where they start among those of all collections that are being read.
func (p *parser) begin() (first int) {
	p.depth++
	if p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	return len(p.nodes.pending)
}

// add adds an element to the innermost collection that is being read.
func (p *parser) add(element *Node) { p.nodes.pending = append(p.nodes.pending, element) }

// end ends the collection nd, whose elements start at first. It refuses a mapping that has a key
// twice, however it is written.
func (p *parser) end(nd *Node, first int) {
	p.depth--
	elements := p.nodes.pending[first:]
	nd.Elems = p.nodes.elements.Take(len(elements))
	copy(nd.Elems, elements)
	p.nodes.pending = p.nodes.pending[:first]
	if nd.Kind == Mapping {
		p.checkKeys(nd.Elems)
	}
}

// fewKeys is how many keys are compared each with each, which is faster than a map.
const fewKeys = 8

// checkKeys refuses a key that another value of the same mapping has.
func (p *parser) checkKeys(values []*Node) {
	if len(values) <= fewKeys {
		for i, v := range values {
			for _, before := range values[:i] {
				if keyText(before.Key) == keyText(v.Key) {
					p.failTwice(before.Key, v.Key)
				}
			}
		}
		return
	}

	seen := map[string]*Node{}
	for _, v := range values {
		text := keyText(v.Key)
		if seen[text] != nil {
			p.failTwice(seen[text], v.Key)
		}
		seen[text] = v.Key
	}
}

// keyText returns the decoded text of a key, or its text as it is if it is invalid base64.
func keyText(key *Node) string {
	text, err := key.Decode()
	if err != nil {
		return key.Text
	}
	return text
}

func (p *parser) failTwice(first, second *Node) {
	line, _ := Position(p.text, first.Pos)
	p.failf(second.Pos, "key %q is already in line %d; remove one of them", Clip(keyText(second)), line)
}
