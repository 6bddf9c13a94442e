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

// format is the YAML of other tools. Psych, the writer of Ruby, has its own tag for binary text.
var format = yaml.Format{Name: "a cassette", Tags: []string{"!!binary", "!binary", "!!str"}}

// documents reads the documents of a YAML text, whose line ends are \n.
//
// Package yaml reads them: it returns each text exactly, or refuses it. It does not know anchors,
// aliases, directives, explicit keys, second documents and most tags. If it refuses a text, these are
// found with the lexer of github.com/goccy/go-yaml and removed; see [prepare]. Then a [resolver] puts
// the nodes of anchors in the place of aliases, and sets the tag of each mapping and list: for tools of
// Python, it has the class of the object.
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
		r := resolver{text: part, marks: marks, anchored: map[string]anchoredNode{}}
		r.resolve(root)
		if r.err != nil {
			return nil, r.err
		}
		marks = r.marks
		roots = append(roots, root)
	}
	if len(marks) > 0 { // a mark behind all nodes
		return nil, marks[0].unresolved()
	}
	return roots, nil
}

// A mark is a tag, an anchor or an alias that was removed from a text.
type mark struct {
	offset, end int
	name        string // as written
	kind        token.Type
}

// word returns the word that replaces an alias.
func (m *mark) word() string { return "_" + m.name[1:] }

// unresolved returns the error for a mark that belongs to no node.
func (m *mark) unresolved() *yaml.Error {
	return &yaml.Error{Offset: m.offset, Msg: fmt.Sprintf("cannot tell what %q stands for; write it out", m.name)}
}

// prepare makes a text that package yaml can read. It replaces anchors, directives and tags by spaces,
// and an alias by a word, all of the same length, so that offsets stay the same. It replaces explicit
// keys; see [writeOutKey]. It returns a text for each document, and the marks that it has removed, in
// order. marks is nil if there was nothing that package yaml does not know.
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
	isAtTop := func(at int) bool {
		return at < maxDirectives && strings.TrimSpace(string(out[:at])) == ""
	}
	found := false
	var starts []int       // of documents
	var explicitKeys []int // their question marks
	tokens := tokenize(text)
	for i, tk := range tokens {
		at := where.offset(tk.Position)
		if at < 0 {
			continue
		}
		rest := text[at:]
		switch {
		case tk.Type == token.DirectiveType && strings.HasPrefix(rest, "%") && isAtTop(at):
			blank(at, at+lineEnd(rest))
			found = true
		case tk.Type == token.DocumentHeaderType && strings.HasPrefix(rest, "---"):
			starts = append(starts, at)
		case tk.Type == token.DocumentEndType && strings.HasPrefix(rest, "..."):
			blank(at, at+3)
		case tk.Type == token.MappingKeyType && strings.HasPrefix(rest, "?"):
			explicitKeys = append(explicitKeys, at)
		case tk.Type == token.TagType || tk.Type == token.AnchorType || tk.Type == token.AliasType:
			name := strings.TrimSpace(tk.Value)
			if tk.Type != token.TagType && i+1 < len(tokens) {
				name += strings.TrimSpace(tokens[i+1].Value)
			}
			// Behind a tag, the columns of the lexer are too low.
			ahead := strings.Index(rest[:lineEnd(rest)], name)
			if slices.Contains(format.Tags, name) || ahead < 0 {
				continue
			}
			at += ahead
			m := mark{at, at + len(name), name, tk.Type}
			blank(m.offset, m.end)
			if m.kind == token.AliasType {
				copy(out[m.offset:], m.word())
			}
			marks = append(marks, m)
			found = true
		}
	}
	// After the tags, which may be between the question mark and the key.
	for _, at := range explicitKeys {
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

// maxDirectives is the largest size in bytes of the directives at the top of a file.
const maxDirectives = 1024

// tokenize returns the tokens of the lexer of goccy, or none if it panics, as it may for broken text.
func tokenize(text string) (tokens token.Tokens) {
	defer func() {
		if recover() != nil {
			tokens = nil
		}
	}()
	return lexer.Tokenize(text)
}

// cutDocuments returns a text for each of the documents that start at some offsets. Offsets in these
// texts are the same as in all: what is before a document is replaced by spaces.
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

// places finds the offsets of positions. They must come in their order: the search continues at the last
// one.
type places struct {
	text         string
	at           int // the offset of line and column, both counted from 0
	line, column int
}

// offset returns the offset of a position, whose column counts characters. It is -1 if the position is
// before the last one, or not in the text.
func (p *places) offset(pos *token.Position) int {
	if pos == nil {
		return -1
	}
	isBeforeLast := pos.Line-1 < p.line || pos.Line-1 == p.line && pos.Column-1 < p.column
	if isBeforeLast {
		return -1
	}
	for p.line < pos.Line-1 {
		next := strings.IndexByte(p.text[p.at:], '\n')
		if next < 0 {
			return -1
		}
		p.at += next + 1
		p.line++
		p.column = 0
	}
	for p.column < pos.Column-1 {
		if p.at >= len(p.text) || p.text[p.at] == '\n' {
			return -1
		}
		_, n := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += n
		p.column++
	}
	if p.at >= len(p.text) {
		return -1
	}
	return p.at
}

// A resolver replaces aliases by copies of the nodes with their anchors. The lexer of goccy may find a
// mark inside of a text. Such a mark belongs to no node and is an error, so no text is changed.
type resolver struct {
	text     string
	marks    []mark                  // the marks behind the present node
	anchored map[string]anchoredNode // the nodes with anchors, by name
	size     int                     // of all copies
	err      *yaml.Error
}

// An anchoredNode is a node with an anchor. Its size is the number of nodes in it plus the number of
// bytes in their texts.
type anchoredNode struct {
	node yaml.Node
	size int
}

// maxAliased is the largest size of all copies that aliases make. Without a limit, a file of a few lines
// could need any amount of memory ("billion laughs").
const maxAliased = 64 << 20

// resolve resolves the aliases in n, and returns the size of n.
func (r *resolver) resolve(n *yaml.Node) (size int) {
	anchors, tag := r.takeBefore(n.Pos)
	if r.err != nil {
		return 0
	}
	if tag != nil && r.isOfCollection(tag, n) {
		n.Tag = tag.name
	}
	if n.Kind == yaml.Scalar && len(r.marks) > 0 {
		next := r.marks[0]
		if next.kind == token.AliasType && next.offset == n.Pos {
			return r.replaceAlias(n)
		}
	}
	size = 1 + len(n.Text)
	for _, e := range n.Elems {
		if e.Key != nil {
			r.takeBefore(e.Key.Pos)
			size += len(e.Key.Text)
		}
		size += r.resolve(e)
	}
	for _, m := range anchors {
		r.anchored[m.name[1:]] = anchoredNode{*n, size}
	}
	return size
}

// isOfCollection reports whether a tag before a node is that of a collection. In block style, a tag in
// the line of the first key is the tag of this key.
func (r *resolver) isOfCollection(tag *mark, n *yaml.Node) bool {
	switch n.Kind {
	case yaml.Sequence:
		return true
	case yaml.Mapping:
		return r.text[n.Pos] == '{' || strings.Contains(r.text[tag.end:n.Pos], "\n")
	}
	return false
}

// takeBefore removes from r.marks those of the node or key at an offset, and returns the anchors and the tag
// among them. It is an error if there is more than white space between a mark and the node.
func (r *resolver) takeBefore(pos int) (anchors []mark, tag *mark) {
	for r.err == nil && len(r.marks) > 0 {
		m := r.marks[0]
		if m.offset >= pos || m.kind == token.AliasType {
			break
		}
		if strings.TrimSpace(r.text[m.end:max(m.end, pos)]) != "" {
			r.err = m.unresolved()
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

// replaceAlias replaces an alias by a copy of the node with its anchor.
func (r *resolver) replaceAlias(n *yaml.Node) (size int) {
	m := r.marks[0]
	to, ok := r.anchored[m.name[1:]]
	switch {
	case n.Style != yaml.Plain || n.Text != m.word() || n.Tag != "":
		r.err = m.unresolved()
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
	node := to.node
	node.Key = n.Key
	node.Pos = n.Pos
	*n = node
	return to.size
}
