package yaml

import "slices"

// Emit gives a tree to a sink piece by piece.
func Emit(n *Node, s Sink) {
	if n.Kind == Scalar {
		s.Scalar(n)
		return
	}
	s.Begin(n)
	for i := range n.Elems {
		if n.Kind == Mapping {
			s.Key(&n.Keys[i])
		}
		Emit(&n.Elems[i], s)
	}
	s.End(n.Kind)
}

// direct has a sink take the value of a key, if it is a collection and the format wants that;
// since is where the mapping begins in the stack.
func (p *parser) direct(key string, since int) bool {
	if p.sink == nil && p.Direct != nil {
		p.sink = p.Direct(p.depth, p.stack[since:], key)
		return p.sink != nil
	}
	return false
}

// taken ends what direct began.
func (p *parser) taken(n Node) Node {
	if n.Kind != Scalar && !n.isTree() {
		p.scratch = n
		p.sink.Take(&p.scratch)
		n = p.scratch
	}
	p.sink = nil
	return n
}

// isTree reports whether a collection was read as a tree although there is a sink: aliases
// stand for it.
func (n *Node) isTree() bool { return n.Size > 0 || n.Anchor > 0 }

// begin begins the collection nd, and returns where its elements begin in the stack.
func (p *parser) begin(nd *Node) (since int) {
	if p.depth++; p.depth > maxDepth {
		p.failf(p.pos, "nested deeper than %d", maxDepth)
	}
	if p.sink != nil {
		p.scratch = *nd
		p.sink.Begin(&p.scratch)
	}
	return len(p.stack)
}

// grown returns the stack with room for one more. It doubles: append would copy a long one
// more often.
func (p *parser) grown() []Node {
	if len(p.stack) == cap(p.stack) {
		return slices.Grow(p.stack, len(p.stack)+1)
	}
	return p.stack
}

// pushKey notes a key of the mapping that is being read.
func (p *parser) pushKey(key Node) {
	if p.stack = append(p.grown(), key); p.sink != nil {
		p.sink.Key(&p.stack[len(p.stack)-1])
	}
}

// push notes an element of the collection that is being read.
func (p *parser) push(n Node) {
	switch {
	case p.sink == nil:
		p.stack = append(p.grown(), n)
	case n.Kind == Scalar || n.isTree():
		p.scratch = n
		Emit(&p.scratch, p.sink)
	}
}

// end ends the collection nd, whose keys and elements stand in the stack.
func (p *parser) end(nd *Node, since int) {
	all := p.stack[since:]
	p.depth--
	defer func() { p.stack = p.stack[:since] }()
	if p.sink != nil {
		p.checkKeys(all)
		p.sink.End(nd.Kind)
		return
	}
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
	if !hasTwice(keys) {
		return
	}
	seen := make(map[string]int, len(keys))
	for i := range keys {
		key := &keys[i]
		text := key.decoded()
		if first, ok := seen[text]; ok {
			line, _ := Position(p.text, first)
			p.failf(key.Pos, "key %q is already in line %d; remove one of them", Clip(text), line)
		}
		seen[text] = key.Pos
	}
}

// hasTwice reports whether a key may be there twice.
func hasTwice(keys []Node) bool {
	if len(keys) > 16 {
		return true
	}
	for i := range keys {
		for j := range i {
			if keys[i].Text == keys[j].Text || keys[i].Tag != "" || keys[j].Tag != "" {
				return true
			}
		}
	}
	return false
}

func (n *Node) decoded() string {
	text, err := n.Decode()
	if err != nil {
		return n.Text
	}
	return text
}
