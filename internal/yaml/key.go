package yaml

import "strings"

// blockKey reads a key other than a block mapping's first; it stops at the colon.
func (p *parser) blockKey() Node {
	key, line := Node{Pos: p.pos}, p.bol
	key.Tag = p.tag()
	if !p.dash() && !strings.ContainsRune("{[|>", rune(p.peek(0))) {
		p.scalar(&key, false)
	}
	if !p.colon() || p.bol != line {
		p.failf(key.Pos, "want \"key: value\", found %q", p.rest(key.Pos))
	}
	return key
}

// flowKey reads a key of a flow mapping; it stops at the colon.
func (p *parser) flowKey() Node {
	key, line := Node{Pos: p.pos}, p.bol
	key.Tag = p.tag()
	if c := p.peek(0); c == '{' || c == '[' {
		p.failf(p.pos, "a collection cannot be a key; keys are text")
	}
	p.scalar(&key, true)
	if p.bol != line {
		p.failf(key.Pos, "a key must not run over lines")
	}
	if p.peek(0) != ':' || key.Style == Plain && !p.gapAt(1) {
		p.failf(p.pos, "want %q and a space after the key %q", ':', Clip(key.Text))
	}
	return key
}

// addKey notes a key and passes the colon after it.
func (p *parser) addKey(key Node) {
	if key.Text == "<<" && key.Style == Plain {
		p.failf(key.Pos, "merge keys (%q) are not supported; write the members out", "<<")
	}
	p.pushKey(key)
	p.pos++
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
