package yaml

import "strings"

// blockKey reads a key other than a mapping's first; it stops at the colon.
func (p *parser) blockKey() Node {
	key := Node{Pos: p.pos}
	line := p.bol
	rest := p.rest()
	if p.peek(0) == '!' {
		key.Tag = p.tag()
		p.skipBlanks()
	}
	switch c := p.peek(0); {
	case c == '?' && p.gapAt(1):
		p.failf(p.pos, "explicit keys (%q) are not supported; write \"key: value\"", "? ")
	case c == '"' || c == '\'':
		p.quoted(&key)
		p.skipBlanks()
	case !p.dash() && c != '{' && c != '[' && c != '|' && c != '>' && p.plainStart(false):
		key.Text = p.plainLine(false)
	}
	if p.peek(0) != ':' || !p.gapAt(1) || p.bol != line {
		p.failf(key.Pos, "want \"key: value\", found %q", rest)
	}
	return key
}

// addKey appends a key to m and refuses merge keys.
func (p *parser) addKey(m *Node, key Node) {
	if key.Text == "<<" && key.Style == Plain {
		p.failf(key.Pos, "merge keys (%q) are not supported; write the members out", "<<")
	}
	m.Keys = append(m.Keys, key)
}

// checkKeys refuses a mapping that has a key twice.
func (p *parser) checkKeys(m *Node) {
	if len(m.Keys) <= 8 {
		for i := range m.Keys {
			for j := range i {
				if keyText(&m.Keys[j]) == keyText(&m.Keys[i]) {
					p.sameKey(&m.Keys[j], &m.Keys[i])
				}
			}
		}
		return
	}
	seen := make(map[string]int, len(m.Keys))
	for i := range m.Keys {
		text := keyText(&m.Keys[i])
		if j, ok := seen[text]; ok {
			p.sameKey(&m.Keys[j], &m.Keys[i])
			return
		}
		seen[text] = i
	}
}

// keyText returns what the key k is in the end, however it is written.
func keyText(k *Node) string {
	if b, err := k.Decode(); err == nil {
		return b
	}
	return k.Text
}

func (p *parser) sameKey(a, b *Node) {
	if p.err == nil {
		line := strings.Count(p.text[:a.Pos], "\n") + 1
		p.failf(b.Pos, "key %q is already in line %d; remove one of them", Clip(keyText(b)), line)
	}
}
