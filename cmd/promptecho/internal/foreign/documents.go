package foreign

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// format is the YAML of other tools. Psych, of Ruby, has its own tag for binary text.
var format = yaml.Format{Name: "a cassette", Tags: []string{"!!binary", "!binary", "!!str"}}

// documents reads the documents of a YAML text, whose line ends are \n.
//
// Every text in them is read by package yaml, which gives it exactly or refuses it. That
// package knows no anchors, aliases, directives, explicit keys and second documents, and few
// tags. Where it refuses a text, goccy's lexer finds those; see [prepare]. The tag of a mapping
// or a list is in its node, since a tool of Python writes there what object it was.
func documents(text string) ([]*yaml.Node, *yaml.Error) {
	root, err := format.Parse(text)
	if err == nil {
		return []*yaml.Node{root}, nil
	}
	parts, marks := prepare(text)
	if marks == nil {
		return nil, err
	}
	var roots []*yaml.Node
	for _, part := range parts {
		root, err := format.Parse(part)
		if err != nil {
			return nil, err
		}
		r := resolver{text: part, marks: marks, anchored: map[string]sized{}}
		r.resolve(root)
		if r.err != nil {
			return nil, r.err
		}
		marks = r.marks
		roots = append(roots, root)
	}
	if len(marks) > 0 {
		return nil, marks[0].lost()
	}
	return roots, nil
}

// A mark is a tag, an anchor or an alias that was taken out of a text.
type mark struct {
	offset, end int
	name        string // as written
	kind        token.Type
}

// word is what stands for an alias, where it stood.
func (m *mark) word() string { return "_" + m.name[1:] }

func (m *mark) lost() *yaml.Error {
	return &yaml.Error{Offset: m.offset, Msg: fmt.Sprintf("cannot tell what %q stands for; write it out", m.name)}
}

// prepare makes a text such that package yaml can read it. It puts blanks in the place of
// anchors, directives and tags, and a word in the place of an alias, all of the same length, so
// that everything stays where it was. Explicit keys are written as others are; see
// [writeOutKey]. It returns a text for each document, and the marks that it took out, in order;
// marks is nil if it found nothing that package yaml does not know.
func prepare(text string) (parts []string, marks []mark) {
	out := []byte(text)
	where := places{text: text}
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	found, starts, explicit := false, []int{}, []int{}
	tokens := tokenize(text)
	for i, tk := range tokens {
		at := where.offset(tk.Position)
		if at < 0 {
			continue
		}
		switch rest := text[at:]; {
		case tk.Type == token.DirectiveType && strings.HasPrefix(rest, "%") && at < maxDirectives && strings.TrimSpace(string(out[:at])) == "":
			blank(at, at+lineEnd(rest))
			found = true
		case tk.Type == token.DocumentHeaderType && strings.HasPrefix(rest, "---"):
			starts = append(starts, at)
		case tk.Type == token.DocumentEndType && strings.HasPrefix(rest, "..."):
			blank(at, at+3)
		case tk.Type == token.MappingKeyType && strings.HasPrefix(rest, "?"):
			explicit = append(explicit, at)
		case tk.Type == token.TagType || tk.Type == token.AnchorType || tk.Type == token.AliasType:
			name := strings.TrimSpace(tk.Value)
			if tk.Type != token.TagType && i+1 < len(tokens) {
				name += strings.TrimSpace(tokens[i+1].Value)
			}
			ahead := strings.Index(rest[:lineEnd(rest)], name) // behind a tag the lexer's columns are too low
			if slices.Contains(format.Tags, name) || ahead < 0 {
				continue
			}
			at += ahead
			m := mark{at, at + len(name), name, tk.Type}
			blank(m.offset, m.end)
			if m.kind == token.AliasType {
				copy(out[m.offset:], m.word())
			}
			marks, found = append(marks, m), true
		}
	}
	for _, at := range explicit { // after the tags, which may stand between the mark and the key
		keyEnd := writeOutKey(out, text, at)
		if keyEnd < 0 {
			continue
		}
		found = true
		marks = slices.DeleteFunc(marks, func(m mark) bool {
			return m.kind == token.TagType && m.offset > at && m.end <= keyEnd
		})
	}
	if !found && len(starts) < 2 {
		return nil, nil
	}
	return cutDocuments(string(out), starts), append([]mark{}, marks...)
}

// maxDirectives is how long the directives at the top of a file are at most, in bytes.
const maxDirectives = 1024

// tokenize asks goccy's lexer, which may panic where it is not sure of itself.
func tokenize(text string) (tokens token.Tokens) {
	defer func() {
		if recover() != nil {
			tokens = nil
		}
	}()
	return lexer.Tokenize(text)
}

// cutDocuments returns a text for each of the documents that start at these offsets, in
// which everything stands where it stood in all.
func cutDocuments(all string, starts []int) (parts []string) {
	if len(starts) == 0 || strings.TrimSpace(all[:starts[0]]) != "" {
		starts = append([]int{0}, starts...)
	}
	for i, start := range starts {
		end := len(all)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		before := strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, strings.ToValidUTF8(all[:start], " "))
		// A character of several bytes became one blank.
		before = strings.Repeat(" ", start-len(before)) + before
		if strings.TrimSpace(strings.TrimPrefix(all[start:end], "---")) != "" {
			parts = append(parts, before+all[start:end])
		}
	}
	return parts
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// places finds the offsets of positions, which come in their order: it goes on from the last.
type places struct {
	text         string
	at           int // the offset of line and column, both counted from 0
	line, column int
}

// offset returns the offset of a position, whose column is in characters; -1 if it stands
// before the last one, or if the text has no such place.
func (p *places) offset(pos *token.Position) int {
	if pos == nil || pos.Line-1 < p.line || pos.Line-1 == p.line && pos.Column-1 < p.column {
		return -1
	}
	for p.line < pos.Line-1 {
		next := strings.IndexByte(p.text[p.at:], '\n')
		if next < 0 {
			return -1
		}
		p.at, p.line, p.column = p.at+next+1, p.line+1, 0
	}
	for p.column < pos.Column-1 {
		if p.at >= len(p.text) || p.text[p.at] == '\n' {
			return -1
		}
		_, n := utf8.DecodeRuneInString(p.text[p.at:])
		p.at, p.column = p.at+n, p.column+1
	}
	if p.at >= len(p.text) {
		return -1
	}
	return p.at
}

// A resolver puts what was anchored into the place of its aliases. A mark that stood within
// a text, as the text of goccy's lexer may have it, finds no node and is an error: no text
// is ever changed.
type resolver struct {
	text     string
	marks    []mark // those that were not met yet
	anchored map[string]sized
	size     int // of what was made from aliases
	err      *yaml.Error
}

// sized is a node with a measure of how much there is in it.
type sized struct {
	node yaml.Node
	size int
}

// maxAliased is how much aliases may stand for, in bytes and nodes: a file of a few lines
// can stand for any amount.
const maxAliased = 64 << 20

// resolve resolves the aliases in n, and returns the size of n.
func (r *resolver) resolve(n *yaml.Node) (size int) {
	anchors, tag := r.before(n.Pos)
	if r.err != nil {
		return 0
	}
	if tag != nil && r.isOfCollection(tag, n) {
		n.Tag = tag.name
	}
	if len(r.marks) > 0 && r.marks[0].kind == token.AliasType && r.marks[0].offset == n.Pos && n.Kind == yaml.Scalar {
		return r.alias(n)
	}
	size = 1 + len(n.Text)
	for _, e := range n.Elems {
		if e.Key != nil {
			r.before(e.Key.Pos)
			size += len(e.Key.Text)
		}
		size += r.resolve(e)
	}
	for _, m := range anchors {
		r.anchored[m.name[1:]] = sized{*n, size}
	}
	return size
}

// isOfCollection reports whether a tag before a node is that of a collection, and not that of
// the first key in it: in block style, such a tag stands in the line of the key.
func (r *resolver) isOfCollection(tag *mark, n *yaml.Node) bool {
	switch n.Kind {
	case yaml.Sequence:
		return true
	case yaml.Mapping:
		return r.text[n.Pos] == '{' || strings.Contains(r.text[tag.end:n.Pos], "\n")
	}
	return false
}

// before passes the marks that belong to the node or key at an offset, and returns the
// anchors and the tag among them. There is nothing but white space between them and it.
func (r *resolver) before(pos int) (anchors []mark, tag *mark) {
	for r.err == nil && len(r.marks) > 0 && r.marks[0].offset < pos && r.marks[0].kind != token.AliasType {
		m := r.marks[0]
		if strings.TrimSpace(r.text[m.end:max(m.end, pos)]) != "" {
			r.err = m.lost()
			return nil, nil
		}
		r.marks = r.marks[1:]
		if m.kind == token.AnchorType {
			anchors = append(anchors, m)
		} else {
			tag = &m
		}
	}
	return anchors, tag
}

// alias puts what was anchored into the place of an alias.
func (r *resolver) alias(n *yaml.Node) (size int) {
	m := r.marks[0]
	to, ok := r.anchored[m.name[1:]]
	switch {
	case n.Style != yaml.Plain || n.Text != m.word() || n.Tag != "":
		r.err = m.lost()
	case !ok:
		r.err = &yaml.Error{Offset: m.offset, Msg: fmt.Sprintf("there is no anchor above for %q", m.name)}
	case r.size+to.size > maxAliased:
		r.err = &yaml.Error{Offset: m.offset, Msg: "aliases expand to more than any cassette contains"}
	}
	if r.err != nil {
		return 0
	}
	r.marks = r.marks[1:]
	r.size += to.size
	key, pos := n.Key, n.Pos
	*n = to.node
	n.Key, n.Pos = key, pos
	return to.size
}
