package yaml

import (
	"fmt"
	"strings"
)

// The limits of aliases, against a small file that expands to more than the memory. All
// are about bytes in memory.
const (
	// A text may expand to the larger of both: 32 MB, or 100 times the text.
	maxExpanded      = 32 << 20
	maxExpandedTimes = 100

	// maxExpandedElsewhere is the limit if anchors of other texts are looked up: the
	// text may be short, and their values long.
	maxExpandedElsewhere = 256 << 20

	nodeSize = 100 // of one node, about
)

// properties reads the tag and the anchor at pos, in any order, and the blanks after them.
func (p *parser) properties(nd *Node) {
	for {
		switch c := p.peek(0); {
		case c == '!' && nd.Tag == "":
			nd.Tag = p.tag()
		case c == '&' && nd.Anchor == 0 && p.Aliases:
			start := p.pos
			name := p.anchorName()
			if first := p.anchors[name]; first != nil {
				line, _ := Position(p.text, first.pos)
				p.failf(start, "the anchor &%s is in line %d "+
					"already; write *%s in place of this value, or give it another name",
					name, line, name)
			}
			if p.anchors == nil {
				p.anchors = map[string]*anchor{}
			}
			p.anchors[name] = &anchor{pos: start}
			p.names = append(p.names, name)
			nd.Anchor = int32(len(p.names))
		default:
			return
		}
	}
}

// anchorName parses the name after & or *, and skips the blanks after it.
func (p *parser) anchorName() string {
	start := p.pos + 1
	for p.pos++; !p.gapAt(0) && strings.IndexByte(",]}", p.peek(0)) < 0; p.pos++ {
		if c := p.peek(0); !isLetter(c) && c != '-' && (c < '0' || c > '9') {
			p.failf(start-1, "the name of an anchor consists of "+
				"ASCII letters, digits, - and _, found %q; put text in quotes",
				p.rest(start-1))
		}
	}
	name := p.text[start:p.pos]
	if name == "" {
		p.failf(start-1, "an anchor or an alias without a name; put text in quotes")
	}
	p.skipBlanks()
	return name
}

func (p *parser) isAlias() bool { return p.peek(0) == '*' && p.Aliases }

// keep makes a value that has an anchor known to the aliases below it.
func (p *parser) keep(nd *Node) *Node {
	if nd.Anchor > 0 {
		name := p.names[nd.Anchor-1]
		a := p.anchors[name]
		a.Node, a.isComplete = *nd, true
		a.Size, a.Anchor = int32(sizeOf(nd)), 0
		if p.OnAnchor != nil {
			p.OnAnchor(name, a.Node)
		}
	}
	return nd
}

// sizeOf returns about how many bytes a value has, with what aliases stand for.
func sizeOf(n *Node) int {
	if n.Size > 0 {
		return int(n.Size)
	}
	size := len(n.Text) + nodeSize
	for _, e := range n.Elems {
		if e.Key != nil {
			size += len(e.Key.Text) + nodeSize
		}
		size = min(size+sizeOf(e), 1<<30)
	}
	return size
}

// alias reads the alias at pos, and makes nd the value that it stands for.
func (p *parser) alias(nd *Node) {
	start := p.pos
	if nd.Tag != "" || nd.Anchor > 0 {
		p.failf(nd.Pos, "an alias cannot have a tag or an anchor; its value has them")
	}
	name := p.anchorName()
	if p.peek(0) == ':' {
		p.failf(start, "an alias cannot be a key; write the key out")
	}
	a := p.anchors[name]
	switch {
	case a != nil && !a.isComplete:
		p.failf(start, "the alias *%s is inside the value that it refers to; write something else there", name)
	case a != nil:
		*nd = a.Node
		if p.OnAlias != nil {
			p.OnAlias(start, a.pos)
		}
	default:
		found := false
		if p.LookUpAnchor != nil {
			*nd, found = p.LookUpAnchor(name)
		}
		if !found {
			p.failf(start, "no value above has the anchor &%s%s; write "+
				"the value out, or restore the value with the anchor",
				name, p.hintOfLaterAnchor(name))
		}
	}
	nd.Size, nd.Anchor = int32(sizeOf(nd)), 0
	most := maxExpanded + maxExpandedTimes*len(p.text)
	if p.LookUpAnchor != nil {
		most = max(most, maxExpandedElsewhere)
	}
	p.expanded += int(nd.Size)
	if p.expanded > most {
		p.failf(start, "the aliases up to here expand to more than "+
			"%d MB, far more than this file has; write fewer of them",
			p.expanded>>20)
	}
}

// hintOfLaterAnchor returns a hint for an alias whose anchor comes after it, with the
// line of the anchor; "" if there is no such anchor.
func (p *parser) hintOfLaterAnchor(name string) string {
	for _, before := range []string{": &", "- &"} {
		if i := strings.Index(p.text[p.pos:], before+name+"\n"); i >= 0 {
			line, _ := Position(p.text, p.pos+i)
			return fmt.Sprintf(" (line %d has it: move that value above this line)", line)
		}
	}
	return ""
}
