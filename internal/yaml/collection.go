package yaml

import "slices"

// begin begins a collection, and returns where its elements begin in the stack.
func (p *parser) begin() (since int) {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	return len(p.stack)
}

// push notes an element of the collection that is being read, or a key of it. The stack doubles:
// append would copy a long one more often.
func (p *parser) push(n Node) {
	if len(p.stack) == cap(p.stack) {
		p.stack = slices.Grow(p.stack, len(p.stack)+1)
	}
	p.stack = append(p.stack, n)
}

// end ends the collection nd, whose keys and elements stand in the stack.
func (p *parser) end(nd *Node, since int) {
	all := p.stack[since:]
	p.depth--
	p.stack = p.stack[:since]
	if nd.Kind == Sequence {
		nd.Elems = slices.Clone(all)
		return
	}
	nodes := make([]Node, len(all))
	n := len(all) / 2
	nd.Keys, nd.Elems = nodes[:n:n], nodes[n:]
	for i := range n {
		nd.Keys[i], nd.Elems[i] = all[2*i], all[2*i+1]
	}
	p.checkKeys(nd.Keys)
}

// checkKeys refuses a mapping that has a key twice, however it is written.
func (p *parser) checkKeys(keys []Node) {
	seen := make(map[string]int, len(keys))
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
