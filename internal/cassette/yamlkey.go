package cassette

import "strings"

// blockKey reads a key other than a mapping's first; it stops at the colon.
func (p *yamlParser) blockKey() node {
	key := node{pos: p.pos}
	line := p.bol
	rest := p.rest()
	if p.peek(0) == '!' {
		key.tag = p.tag()
		p.skipBlanks()
	}
	switch c := p.peek(0); {
	case c == '?' && p.gapAt(1):
		p.failf(p.pos, "explicit keys (%q) are not supported; write \"key: value\"", "? ")
	case c == '"' || c == '\'':
		p.quoted(&key)
		p.skipBlanks()
	case !p.dash() && c != '{' && c != '[' && c != '|' && c != '>' && p.plainStart(false):
		key.text = p.plainLine(false)
	}
	if p.peek(0) != ':' || !p.gapAt(1) || p.bol != line {
		p.failf(key.pos, "want \"key: value\", found %q", rest)
	}
	return key
}

// addKey appends a key to m and refuses merge keys.
func (p *yamlParser) addKey(m *node, key node) {
	if key.text == "<<" && key.style == plainStyle {
		p.failf(key.pos, "merge keys (%q) are not supported; write the members out", "<<")
	}
	m.keys = append(m.keys, key)
}

// checkKeys refuses a mapping that has a key twice.
func (p *yamlParser) checkKeys(m *node) {
	if len(m.keys) <= 8 {
		for i := range m.keys {
			for j := range i {
				if keyText(&m.keys[j]) == keyText(&m.keys[i]) {
					p.sameKey(&m.keys[j], &m.keys[i])
				}
			}
		}
		return
	}
	seen := make(map[string]int, len(m.keys))
	for i := range m.keys {
		text := keyText(&m.keys[i])
		if j, ok := seen[text]; ok {
			p.sameKey(&m.keys[j], &m.keys[i])
			return
		}
		seen[text] = i
	}
}

// keyText returns what the key k is in the end, however it is written.
func keyText(k *node) string {
	if k.tag == "!!binary" {
		if b, err := decodeBase64(k.text); err == nil {
			return string(b)
		}
	}
	return k.text
}

func (p *yamlParser) sameKey(a, b *node) {
	if p.err == nil {
		line := strings.Count(p.text[:a.pos], "\n") + 1
		p.failf(b.pos, "key %q is already in line %d; remove one of them", clip(keyText(b)), line)
	}
}
