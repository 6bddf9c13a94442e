package oldreader

import "strings"

// blockKey reads a key other than a block mapping's first; it stops at the colon.
func (p *treeParser) blockKey() *Node {
	key, line := p.node(p.pos), p.bol
	key.Tag = p.tag()
	if !p.dash() && strings.IndexByte("{[|>", p.peek(0)) < 0 {
		p.scalar(key, false)
	}
	if !p.colon() || p.bol != line {
		p.failf(key.Pos, "want \"key: value\", found %q", p.rest(key.Pos))
	}
	return key
}

// flowKey reads a key of a flow mapping; it stops at the colon.
func (p *treeParser) flowKey() *Node {
	key, line := p.node(p.pos), p.bol
	key.Tag = p.tag()
	if c := p.peek(0); c == '{' || c == '[' {
		p.failf(p.pos, "a collection cannot be a key; keys are text")
	}
	p.scalar(key, true)
	if p.bol != line {
		p.failf(key.Pos, "a key must not run over lines")
	}
	if p.peek(0) != ':' || key.Style == Plain && !p.gapAt(1) {
		p.failf(p.pos, "want %q and a space after the key %q", ':', Clip(key.Text))
	}
	return key
}

// passColon passes the colon after a key.
func (p *treeParser) passColon(key *Node) {
	if key.Text == "<<" && key.Style == Plain {
		p.failf(key.Pos, "merge keys (%q) are not supported; write the members out", "<<")
	}
	p.pos++
}
