package cassette

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// Parse reads the cassette data. name is the file's name for messages; asset
// returns the content of an asset by its file name and may be nil if there are
// none. Nothing that Parse cannot give its exact meaning is accepted: the error
// is a *SyntaxError then, whose message says what to do.
func Parse(name string, data []byte, asset func(name string) ([]byte, error)) (*File, error) {
	f, _, err := parse(name, data, asset)
	return f, err
}

// parse is Parse. It also returns the line of the first edit that the seals tell of,
// 0 if there is none.
func parse(name string, data []byte, asset func(name string) ([]byte, error)) (f *File, edited int, err error) {
	p := newParser(name, data, asset)
	f = new(File)
	root := p.yaml()
	if p.err == nil {
		p.countAssets(&root)
		f = p.cassette(&root)
	}
	if p.checkWhole(); p.err != nil {
		return nil, 0, p.err
	}
	return f, p.unseal(f), nil
}

func newParser(name string, data []byte, asset func(name string) ([]byte, error)) *parser {
	text := strings.TrimSuffix(strings.TrimPrefix(string(data), "\ufeff"), "\r") // cut within a line end
	p := parser{asset: asset, mentions: map[string]int{}, assets: map[string][]byte{}}
	p.file, p.src = name, strings.ReplaceAll(text, "\r\n", "\n")
	return &p
}

// yaml reads the text into nodes.
func (p *parser) yaml() yaml.Node {
	p.checkConflict()
	if p.err != nil {
		return yaml.Node{}
	}
	root, err := format.Parse(p.src)
	if err != nil {
		p.fail(err.Offset, "", "%s", err.Msg)
	} else if root.Pos == len(p.src) {
		p.fail(root.Pos, "", "the file is empty; restore it, or delete it and record again")
	}
	return root
}

// format is the YAML of a cassette.
var format = yaml.Format{Name: "a cassette", Tags: []string{"!asset", "!!binary", "!!str"}}

// checkConflict finds the marks that git leaves in a file with a merge conflict.
func (p *parser) checkConflict() {
	for _, m := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		for at := 0; ; {
			i := strings.Index(p.src[at:], m)
			if i < 0 {
				break
			}
			i += at
			at = i + len(m)
			if (i == 0 || p.src[i-1] == '\n') && (at == len(p.src) || p.src[at] == ' ' || p.src[at] == '\n') {
				p.fail(i, "", "a merge conflict (%q); keep both sides where each added interactions, also below \"seals:\", or take one side and record again what is missing", m)
				return
			}
		}
	}
}

// A parser turns nodes into the data model. After the first error what it returns is
// worthless.
type parser struct {
	source
	asset func(name string) ([]byte, error)
	seals []seal // at the end of the file
	in    *mapping

	mentions        map[string]int    // of each asset
	assets          map[string][]byte // that were read, by name
	distinct, named int               // their lengths in bytes, once and as often as they are named
	indentation     int               // of the JSON that was made, in bytes
}

// A mapping is one whose fields are being read.
type mapping struct {
	node   *yaml.Node
	field  string   // its name in errors
	prefix string   // of the names of its fields
	known  []string // the keys that were asked for
	lacks  []string // those that must be there and are not
	atEnd  func()   // checks what was read; may be nil
}

// mapping reads a mapping: each asks for all keys that there can be.
func (p *parser) mapping(n *yaml.Node, field, prefix string, each func()) {
	outer := p.in
	m := &mapping{node: n, field: field, prefix: prefix}
	whole := n.Kind == yaml.Mapping && n.Tag == ""
	if !whole {
		m.node = new(yaml.Node)
	}
	before := p.err
	p.in = m
	each()
	if m.atEnd != nil {
		m.atEnd()
	}
	p.in = outer
	known := strings.Join(m.known, ", ")
	if !whole && before == nil {
		p.err = nil
		p.want(n, field, "a mapping with the keys "+known)
		return
	}
	for i := range n.Keys {
		if key := p.key(&n.Keys[i], field); !slices.Contains(m.known, key) {
			p.badf(&n.Keys[i], field, "unknown key %q; known are %s", yaml.Clip(key), known)
		}
	}
	for _, name := range m.lacks {
		p.badf(n, name, "is missing; restore it, or record again")
	}
}

// get returns the value of a key of the mapping that is being read, and its name in
// errors; nil if it is not there.
func (p *parser) get(key string) (n *yaml.Node, field string) {
	p.in.known = append(p.in.known, key)
	return p.find(key)
}

// find is get for a key that was asked for.
func (p *parser) find(key string) (n *yaml.Node, field string) {
	m := p.in
	for i := range m.node.Keys {
		if p.err == nil && p.key(&m.node.Keys[i], m.field) == key {
			return &m.node.Elems[i], m.prefix + key
		}
	}
	return nil, m.prefix + key
}

// need notes that a field must be there.
func (p *parser) need(key string, there bool) {
	if !there {
		p.in.lacks = append(p.in.lacks, p.in.prefix+key)
	}
}

// badf records that n, which is the field, is wrong.
func (p *parser) badf(n *yaml.Node, field, format string, args ...any) {
	p.fail(n.Pos, field, format, args...)
}

// want records that n is not what the field takes.
func (p *parser) want(n *yaml.Node, field, what string) {
	p.badf(n, field, "want %s, found %s", what, describe(n))
}

// key returns the text of a mapping's key.
func (p *parser) key(n *yaml.Node, field string) string {
	if k := p.resolve(n, field); k != exactjson.String || n.Tag == "!asset" {
		p.badf(n, field, "the key %s is not text; put it in quotes", yaml.Clip(n.Text))
	}
	return p.decoded(n, field)
}

// list returns the elements of the sequence n.
func (p *parser) list(n *yaml.Node, field, of string) []yaml.Node {
	if n.Kind != yaml.Sequence || n.Tag != "" {
		p.want(n, field, "a list of "+of)
		return nil
	}
	return n.Elems
}

func (p *parser) cassette(n *yaml.Node) *File {
	f := new(File)
	if n.Kind != yaml.Mapping {
		p.want(n, "", "a cassette (\"version: 1\" and \"interactions:\")")
		return f
	}
	p.version(n)
	p.mapping(n, "", "", func() {
		p.get("version")
		p.flag("pinned", &f.Pinned)
		p.flag("partial", &f.Partial)
		list, field := p.get("interactions")
		if list != nil {
			f.Interactions = p.interactions(list)
		} else {
			p.badf(n, field, "is missing; write \"interactions: []\" if there are none")
		}
		if list, field := p.get("seals"); list != nil {
			p.readSeals(list, field)
		}
	})
	return f
}

// readSeals reads the seals at the end. One that was edited is none.
func (p *parser) readSeals(n *yaml.Node, field string) {
	for i := range p.list(n, field, "seals") {
		if s, ok := parseSeal(p.str(&n.Elems[i], field)); ok {
			p.seals = append(p.seals, s)
		}
	}
}

// version checks the version before anything that may depend on it.
func (p *parser) version(n *yaml.Node) {
	for i := range n.Keys {
		if n.Keys[i].Text != "version" {
			continue
		}
		v := p.integer(&n.Elems[i], "version", 1)
		if p.err == nil && v != Version {
			p.badf(&n.Elems[i], "version", "this is version %d, and this promptecho reads version %d; update it, or record again", v, Version)
		}
		return
	}
	p.badf(n, "version", "is missing; a cassette starts with \"version: %d\"", Version)
}

func (p *parser) interactions(n *yaml.Node) []*interaction.Interaction {
	elems := p.list(n, "interactions", "interactions")
	its := make([]*interaction.Interaction, 0, len(elems))
	line, at := 1, 0
	for i := range elems {
		e := &elems[i]
		start := e.Item
		if start == 0 {
			start = e.Pos // in a flow sequence
		}
		line += strings.Count(p.src[at:start], "\n")
		at = start
		it := p.interaction(e)
		if p.err != nil {
			return nil
		}
		it.Line = line
		its = append(its, it)
	}
	return its
}

func (p *parser) interaction(n *yaml.Node) *interaction.Interaction {
	it := new(interaction.Interaction)
	p.mapping(n, "interaction", "", func() { interactionFields(p, it) })
	return it
}

func (p *parser) part(key string, each func()) {
	n, field := p.get(key)
	p.need(key, n != nil)
	if n != nil {
		p.mapping(n, field, field+".", each)
	}
}

func (p *parser) text(key string, s *string) {
	n, field := p.get(key)
	if n != nil {
		*s = p.str(n, field)
	}
	switch key {
	case "method", "url":
		p.need(key, *s != "")
	case "end":
		if n != nil && !isEnd(*s) {
			p.want(n, field, "closed, error or canceled (leave it out if the body is whole)")
		}
	}
}

func (p *parser) status(status *int) {
	if n, field := p.get("status"); n != nil {
		*status = int(p.integer(n, field, 0))
		if *status > 999 {
			p.want(n, field, "a status (100 to 999)")
		}
	}
}

const minInt64 = -1 << 63

func (p *parser) latency(ms *int64) { p.number("latency_ms", ms) }

func (p *parser) number(key string, i *int64) {
	if n, field := p.get(key); n != nil {
		*i = p.integer(n, field, minInt64)
	}
}

func (p *parser) flag(key string, set *bool) {
	if n, field := p.get(key); n != nil {
		*set = p.boolean(n, field)
	}
}

func (p *parser) usage(u **interaction.Usage) {
	n, field := p.get("usage")
	if n == nil {
		return
	}
	*u = new(interaction.Usage)
	p.mapping(n, field, field+".", func() {
		p.number("input_tokens", &(*u).InputTokens)
		p.number("output_tokens", &(*u).OutputTokens)
	})
}

func (p *parser) headers(key string, hs *interaction.Headers) {
	if n, field := p.get(key); n != nil {
		*hs = p.headerFields(n, field)
	}
}

// headerFields returns the header fields n.
func (p *parser) headerFields(n *yaml.Node, field string) interaction.Headers {
	if n.Kind != yaml.Mapping || n.Tag != "" {
		p.want(n, field, "a mapping of names to values")
		return nil
	}
	hs := make(interaction.Headers, 0, len(n.Elems))
	for i := range n.Elems {
		v := &n.Elems[i]
		h := interaction.Header{Name: p.key(&n.Keys[i], field)}
		if v.Kind == yaml.Sequence {
			for j := range p.list(v, field, "values") {
				h.Values = append(h.Values, p.loose(&v.Elems[j], field))
			}
		} else {
			h.Values = []string{p.loose(v, field)}
		}
		hs = append(hs, h)
	}
	return hs
}
