package oldreader

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/alias"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// Version is the format version this package reads.
const Version = 1

// A Document is what stands in a cassette.
type Document struct {
	Pinned, Partial bool
	Given           interaction.RecordedValues
	Interactions    []*interaction.Interaction
	Items           []Item   // what stands in the list of interactions
	Seals           []string // the list at the end, which means nothing here
}

// An Item is an element of the list of interactions.
type Item struct {
	At  int                        // where it starts in the text
	Its []*interaction.Interaction // what it stands for, one after the other
	Of  []int                      // the items that have the values that its aliases stand for
}

// Parse reads the text of a cassette, which is as [Normalize] returns it. name is the
// file's name for messages; asset may be nil if there are none. Nothing that Parse cannot
// give its exact meaning is accepted: the error says what to do.
func Parse(name, text string, asset ReadAsset) (*Document, *SyntaxError) {
	p := newParser(name, text, asset)
	doc := new(Document)
	p.read(func(root *Node) { p.document(root, doc) })
	if p.err != nil {
		return nil, p.err
	}
	return doc, nil
}

// Normalize returns the text of a file, whose lines may end as git on Windows ends them.
func Normalize(data []byte) string {
	text := strings.TrimSuffix(strings.TrimPrefix(string(data), "\ufeff"), "\r") // cut within a line end
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// Lines of a cassette.
const (
	ItemsLine = "interactions:\n" // stands before the interactions
	EndMark   = "..."             // begins the last line: YAML's mark for the end of a document (YAML 1.2.2, 9.1.4)
)

// ParseItem reads the text of an interaction as people may have written it. Lines in
// errors are not those of a file. One that stands for several is one.
func ParseItem(name string, text []byte, asset ReadAsset, beyond Beyond) (*interaction.Interaction, error) {
	p := newParser(name, ItemsLine+string(text), asset)
	p.beyond = beyond
	var doc Document
	p.read(func(root *Node) {
		if len(root.Elems) != 1 || strings.Contains(p.src, "\n"+EndMark) {
			p.badf(root, "", "this is more than one interaction")
		} else if p.interactions(root.Elems[0], &doc); p.err == nil && len(doc.Items) != 1 {
			p.badf(root, "", "these are %d interactions", len(doc.Items))
		}
	})
	if p.err != nil {
		return nil, p.err
	}
	return doc.Items[0].Its[0], nil
}

// Anchors adds the values in the text of an interaction that have an anchor to those that stand
// above it.
func Anchors(text string, values map[string]Node) {
	f := format
	f.Beyond = func(name string) (n Node, ok bool) {
		n, ok = values[name]
		return n, ok
	}
	f.Anchor = func(name string, value Node) { values[name] = value }
	f.Parse(text) // what is wrong with it is said where the interaction is read
}

// ParseGiven reads lines with what a cassette gives its test. Errors name no file.
func ParseGiven(text []byte) (g interaction.RecordedValues, err error) {
	p := newParser("", string(text), nil)
	p.read(func(root *Node) {
		p.mapping(root, "", "", func() { p.given(&g) })
	})
	if p.err != nil {
		return interaction.RecordedValues{}, p.err
	}
	return g, nil
}

// read reads the text into nodes, and calls each with the root of these, unless something is wrong.
func (p *parser) read(each func(root *Node)) {
	p.checkConflict()
	if strings.HasPrefix(p.src, "version https://git-lfs.github.com/spec/") {
		p.fail(0, "", "this is a pointer of Git LFS and not the file; to fetch the file: git lfs "+
			"pull (with GitHub's actions/checkout: \"lfs: true\")")
		p.err.FileIntact = true
	}
	if p.err != nil {
		return
	}
	f := format
	f.Beyond, f.Within, f.JSON = p.beyond, "events", p.flowJSON
	f.Alias = func(at, value int) { p.refs = append(p.refs, ref{at, value}) }
	switch root, err := f.Parse(p.src); {
	case err != nil:
		p.fail(err.Offset, "", "%s", err.Msg)
	case root.Pos == len(p.src):
		p.fail(root.Pos, "", "the file is empty; restore it: git checkout -- %s, or delete it and record again",
			CommandFile(p.file))
	default:
		each(root)
	}
}

// checkConflict finds the marks that git leaves in a file with a merge conflict.
func (p *parser) checkConflict() {
	isThere := func(mark string) bool { return strings.Contains(p.src, mark) }
	if !slices.ContainsFunc([]string{"<<<<<<<", "=======", ">>>>>>>"}, isThere) { // which is found faster
		return
	}
	if m := conflict().FindStringSubmatchIndex(p.src); m != nil {
		p.fail(m[2], "", "a merge conflict (%q): promptecho merge %s merges the two sides; running "+
			"its test with PROMPTECHO_MODE=update does, too, and records what neither side has",
			p.src[m[2]:m[3]], CommandFile(p.file))
	}
}

var conflict = memo.Regexp(`(?m)^(<<<<<<<|=======|>>>>>>>)(?: |$)`)

func (p *parser) document(n *Node, doc *Document) {
	if n.Kind != Mapping {
		p.want(n, "", "a cassette (\"version: 1\" and \"interactions:\")")
		return
	}
	p.mapping(n, "", "", func() {
		p.version()
		p.flag("pinned", &doc.Pinned)
		p.flag("partial", &doc.Partial)
		p.given(&doc.Given)
		list, field := p.get("interactions")
		if list != nil {
			p.interactions(list, doc)
		} else {
			p.badf(n, field, "is missing; write \"interactions: []\" if there are none")
		}
		optional(p, "seals", &doc.Seals, p.strings("seals"))
	})
}

// version checks the version, before anything that may depend on it.
func (p *parser) version() {
	n, field := p.get("version")
	if n == nil {
		p.badf(p.in.node, field, "is missing; a cassette starts with \"version: %d\"", Version)
	} else if v := p.integer(n, field, 1); p.err == nil && v != Version {
		p.badf(n, field, "this is version %d, and this promptecho reads version %d; "+update+", or record again", v, Version)
		p.err.FileIntact = true
	}
}

func (p *parser) interactions(n *Node, doc *Document) {
	elems := p.list(n, "interactions", "interactions")
	doc.Interactions = make([]*interaction.Interaction, 0, len(elems))
	line, at := 1, 0
	for _, e := range elems {
		start := cmp.Or(int(e.Item), e.Pos) // in a flow sequence it has no dash
		line += strings.Count(p.src[at:start], "\n")
		at = start
		it, times := p.interaction(e)
		if p.err != nil {
			return
		}
		it.Line = line
		item := Item{At: start, Its: []*interaction.Interaction{it}}
		for range times - 1 {
			again := *it
			again.Response = *it.Response.Clone()
			item.Its = append(item.Its, &again)
		}
		doc.Items = append(doc.Items, item)
		doc.Interactions = append(doc.Interactions, item.Its...)
	}
	p.refer(doc.Items)
}

// refer notes which items have the values that the aliases of others stand for.
func (p *parser) refer(items []Item) {
	at := func(pos int) int { // in which item
		return sort.Search(len(items), func(i int) bool { return items[i].At > pos }) - 1
	}
	last := make([]int, len(items)) // which referred to each
	for _, r := range p.refs {
		if i, of := at(r.at), at(r.value); 0 <= of && of < i && last[of] != i {
			items[i].Of = append(items[i].Of, of)
			last[of] = i
		}
	}
}

func (p *parser) interaction(n *Node) (it *interaction.Interaction, times int) {
	it, times = new(interaction.Interaction), 1
	p.mapping(n, "interaction", "", func() {
		interactionFields(p, it)
		p.get(alias.Key) // what stands there, aliases stand for
		if n, field := p.get(timesKey); n != nil {
			times = int(p.integer(n, field, 1))
			if times > MostTimes {
				p.badf(n, field, "at most %d; for more, write the interaction a second time", MostTimes)
			}
		}
	})
	return it, times
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
	case "kind":
		if n != nil && !slices.Contains(interaction.Kinds, *s) {
			p.badf(n, field, "unknown kind %q; known are %s. If a newer promptecho wrote it, "+update, Clip(*s), strings.Join(interaction.Kinds, ", "))
		}
	case "boundary":
		if k, _ := p.find("kind"); k != nil && isFunction(k.Text) {
			p.need(key, *s != "")
		}
	case "end", "transfer":
		if all := words[key]; n != nil && !slices.Contains(all, *s) {
			last := len(all) - 1
			p.want(n, field, strings.Join(all[:last], ", ")+" or "+all[last]+" (leave it out if nothing is unusual)")
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

func (p *parser) latency(ms *int64) { p.number("latency_ms", ms) }

func (p *parser) number(key string, i *int64) {
	optional(p, key, i, func(n *Node, field string) int64 { return p.integer(n, field, math.MinInt64) })
}

func (p *parser) flag(key string, set *bool) { optional(p, key, set, p.boolean) }

func (p *parser) moments(m **interaction.Moments) {
	n, field := p.get(momentsKey)
	if n == nil || n.Kind == Scalar && n.Text == "false" {
		return
	}
	var err error
	*m, err = interaction.ParseMoments(n.Text)
	if err != nil {
		p.badf(n, field, "%v, found %s", err, describe(n))
	}
}

func (p *parser) usage(u **interaction.Usage) {
	n, field := p.get("usage")
	if n == nil {
		return
	}
	*u = new(interaction.Usage)
	p.mapping(n, field, field+".", func() {
		names, counts := (*u).Fields()
		for i, name := range names {
			p.number(name, counts[i])
		}
	})
}

func (p *parser) headers(key string, hs *interaction.Headers) {
	optional(p, key, hs, p.headerFields)
}

func (p *parser) texts(key string, list *[]string) { optional(p, key, list, p.strings("texts")) }

// strings returns what reads a list of texts, which are called so in errors.
func (p *parser) strings(of string) func(n *Node, field string) []string {
	return func(n *Node, field string) []string { return listOf(p, n, field, of, p.str) }
}

// headerFields returns the header fields n.
func (p *parser) headerFields(n *Node, field string) interaction.Headers {
	hs := make(interaction.Headers, 0, len(n.Elems))
	for _, v := range p.elems(n, field, Mapping, "a mapping of names to values") {
		h := interaction.Header{Name: p.key(v.Key, field)}
		if v.Kind == Sequence {
			h.Values = listOf(p, v, field, "values", p.loose)
		} else {
			h.Values = []string{p.loose(v, field)}
		}
		hs = append(hs, h)
	}
	return hs
}
