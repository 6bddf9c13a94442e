package codec

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/alias"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// Version is the format version this package reads.
const Version = 1

// A Document is the content of a cassette.
type Document struct {
	Pinned, Partial bool
	RecordedValues  interaction.RecordedValues
	Interactions    []*interaction.Interaction // those of all items
	Items           []Item
	Seals           []string // the list at the end, which package cassette checks
}

// An Item is an element of the list of interactions in a cassette. An item with "times: 3" is
// three interactions.
type Item struct {
	Offset       int // of the item in the text
	Interactions []*interaction.Interaction
	DependsOn    []int // the indexes of the items with the values that its aliases refer to
}

// Parse reads the text of a cassette, as [Normalize] returns it. name is the name of the file in
// errors; asset may be nil if the cassette has no assets. Parse accepts only text whose meaning is
// exact; an error says what is wrong, where, and what to do.
func Parse(name, text string, asset ReadAsset) (*Document, *SyntaxError) {
	p := newParser(name, text, asset)
	doc := new(Document)
	p.read(func(root *yaml.Node) { p.document(root, doc) })
	if p.err != nil {
		return nil, p.err
	}
	return doc, nil
}

// Normalize returns the text of a file without a byte order mark and with lines that end with
// "\n": git on Windows may have made that "\r\n".
func Normalize(data []byte) string {
	text := strings.TrimPrefix(string(data), "\ufeff")
	text = strings.TrimSuffix(text, "\r") // the file was truncated between "\r" and "\n"
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// ParseItem reads the text of one item. People may have edited the text. It returns one
// interaction also if the item is several (see [Item]). Line numbers in errors count in the list
// with this one item, not in a file.
func ParseItem(name, text string, asset ReadAsset, anchor LookUpAnchor) (*interaction.Interaction, error) {
	return parseList(name, ItemsLine+text, asset, anchor)
}

// parseList is [ParseItem] for a list of one item: [ItemsLine] and the text of the item.
func parseList(name, list string, asset ReadAsset, anchor LookUpAnchor) (*interaction.Interaction, error) {
	p := newParser(name, list, asset)
	p.anchoredElsewhere = anchor
	var doc Document
	p.read(func(root *yaml.Node) {
		if len(root.Elems) != 1 || strings.Contains(p.src, "\n"+EndMark) {
			p.badf(root, "", "this is more than one interaction")
			return
		}
		p.interactions(root.Elems[0], &doc)
		if len(doc.Items) != 1 {
			p.badf(root, "", "these are %d interactions", len(doc.Items))
		}
	})
	if p.err != nil {
		return nil, p.err
	}
	return doc.Items[0].Interactions[0], nil
}

// CollectAnchors adds the values with an anchor in the text of an interaction to values, which has
// those of the interactions above. The keys are the names of the anchors.
func CollectAnchors(text string, values map[string]yaml.Node) {
	f := format
	f.LookUpAnchor = func(name string) (n yaml.Node, ok bool) {
		n, ok = values[name]
		return n, ok
	}
	f.OnAnchor = func(name string, value yaml.Node) { values[name] = value }
	f.Parse(text) // its error is reported where the interaction is read
}

// ParseRecordedValues reads the recorded values of a cassette, from the lines at its top. Errors
// have no file name.
func ParseRecordedValues(text []byte) (g interaction.RecordedValues, err error) {
	p := newParser("", string(text), nil)
	p.read(func(root *yaml.Node) {
		p.mapping(root, "", "", func() { p.recordedValues(&g) })
	})
	if p.err != nil {
		return interaction.RecordedValues{}, p.err
	}
	return g, nil
}

// read parses the text as YAML and calls use with the root node. It does not call use after an
// error. The nodes are valid until read returns.
func (p *parser) read(use func(root *yaml.Node)) {
	defer p.scratch.release()
	p.checkMergeConflict()
	if strings.HasPrefix(p.src, "version https://git-lfs.github.com/spec/") {
		p.fail(0, "", "this is a pointer of Git LFS and not the file; to fetch the file: git lfs "+
			"pull (with GitHub's actions/checkout: \"lfs: true\")")
		p.err.FileIntact = true
	}
	if p.err != nil {
		return
	}
	f := format
	f.LookUpAnchor = p.anchoredElsewhere
	f.JSONKey = "events" // most JSON is in the events of streams
	f.ParseJSON = p.flowJSON
	f.Nodes = &p.nodes
	f.OnAlias = func(alias, value int) { p.aliases = append(p.aliases, aliasUse{alias, value}) }
	root, err := f.Parse(p.src)
	switch {
	case err != nil:
		p.fail(err.Offset, "", "%s", err.Msg)
	case root.Pos == len(p.src):
		p.fail(root.Pos, "", "the file is empty; restore it: git checkout -- %s, or delete it and record again",
			CommandFile(p.file))
	default:
		use(root)
	}
}

// checkMergeConflict records an error if the text has a line that git writes into a file with a
// merge conflict.
func (p *parser) checkMergeConflict() {
	hasMark := func(mark string) bool { return strings.Contains(p.src, mark) }
	if !slices.ContainsFunc([]string{"<<<<<<<", "=======", ">>>>>>>"}, hasMark) {
		return // this search is faster than that of the regular expression
	}
	if m := conflictMark().FindStringSubmatchIndex(p.src); m != nil {
		p.fail(m[2], "", "a merge conflict (%q): promptecho merge %s merges the two sides; running "+
			"its test with PROMPTECHO_MODE=update does, too, and records what neither side has",
			p.src[m[2]:m[3]], CommandFile(p.file))
		p.err.MergeConflict = true
	}
}

var conflictMark = memo.Regexp(`(?m)^(<<<<<<<|=======|>>>>>>>)(?: |$)`)

// document reads a cassette.
func (p *parser) document(n *yaml.Node, doc *Document) {
	if n.Kind != yaml.Mapping {
		p.unexpected(n, "", "a cassette (\"version: 1\" and \"interactions:\")")
		return
	}
	p.mapping(n, "", "", func() {
		p.version()
		p.flag("pinned", &doc.Pinned)
		p.flag("partial", &doc.Partial)
		p.recordedValues(&doc.RecordedValues)
		list, field := p.get("interactions")
		if list != nil {
			p.interactions(list, doc)
		} else {
			p.badf(n, field, "is missing; write \"interactions: []\" if there are none")
		}
		optional(p, "seals", &doc.Seals, p.strings("seals"))
	})
}

// version checks the version of the format, before it reads fields that may depend on the version.
func (p *parser) version() {
	n, field := p.get("version")
	if n == nil {
		p.badf(p.current.node, field, "is missing; a cassette starts with \"version: %d\"", Version)
		return
	}
	v := p.integer(n, field, 1)
	if p.err == nil && v != Version {
		p.badf(n, field, "this is version %d, and this promptecho reads version %d; "+update+
			", or record again", v, Version)
		p.err.FileIntact = true
	}
}

// interactions reads the list of interactions.
func (p *parser) interactions(n *yaml.Node, doc *Document) {
	elems := p.list(n, "interactions", "interactions")
	doc.Interactions = make([]*interaction.Interaction, 0, len(elems))
	line := 1
	offset := 0 // of the start of the line
	for _, e := range elems {
		start := cmp.Or(int(e.Item), e.Pos) // Item, the offset of the dash, is 0 in a flow sequence
		start = max(start, offset)          // the Pos of an alias is that of its anchor
		line += strings.Count(p.src[offset:start], "\n")
		offset = start
		it, times := p.interaction(e)
		if p.err != nil {
			return
		}
		it.Line = line
		item := Item{Offset: start, Interactions: []*interaction.Interaction{it}}
		for range times - 1 {
			repeated := *it
			repeated.Response = *it.Response.Clone()
			item.Interactions = append(item.Interactions, &repeated)
		}
		doc.Items = append(doc.Items, item)
		doc.Interactions = append(doc.Interactions, item.Interactions...)
	}
	p.setDependencies(doc.Items)
}

// setDependencies sets the field DependsOn of each item, from the aliases in the text.
func (p *parser) setDependencies(items []Item) {
	itemAt := func(offset int) int { // -1 above the first item
		return sort.Search(len(items), func(i int) bool { return items[i].Offset > offset }) - 1
	}

	// lastUser has for each item the last item that depends on it. The first item depends on none,
	// so 0 is no item. The aliases are in the order of the text: all those of one item are together.
	lastUser := make([]int, len(items))
	for _, use := range p.aliases {
		user := itemAt(use.alias)
		owner := itemAt(use.value)
		isInEarlierItem := 0 <= owner && owner < user
		if isInEarlierItem && lastUser[owner] != user {
			items[user].DependsOn = append(items[user].DependsOn, owner)
			lastUser[owner] = user
		}
	}
}

// interaction reads an item. It returns its interaction and how often the interaction occurred.
func (p *parser) interaction(n *yaml.Node) (it *interaction.Interaction, times int) {
	it = new(interaction.Interaction)
	times = 1
	p.mapping(n, "interaction", "", func() {
		interactionFields(p, it)
		p.get(alias.Key) // values that only aliases use
		if n, field := p.get(timesKey); n != nil {
			times = int(p.integer(n, field, 1))
			if times > MaxTimes {
				p.badf(n, field, "at most %d; for more, write the interaction a second time", MaxTimes)
			}
		}
	})
	return it, times
}

// section reads the mapping below key, which must be there.
func (p *parser) section(key string, readFields func()) {
	n, field := p.get(key)
	p.require(key, n != nil)
	if n != nil {
		p.mapping(n, field, field+".", readFields)
	}
}

// text reads a string, and checks the values of the keys that have only some or must be there.
func (p *parser) text(key string, s *string) {
	n, field := p.get(key)
	if n != nil {
		*s = p.stringOf(n, field)
	}
	switch key {
	case "method", "url":
		p.require(key, *s != "")
	case "kind":
		if n != nil && !slices.Contains(interaction.Kinds, *s) {
			p.badf(n, field, "unknown kind %q; known are %s. If a newer promptecho wrote it, "+update,
				yaml.Clip(*s), strings.Join(interaction.Kinds, ", "))
		}
	case "boundary":
		if kind, _ := p.find("kind"); kind != nil && isFunction(kind.Text) {
			p.require(key, *s != "")
		}
	case "end", "transfer":
		allowed := allowedValues[key]
		if n != nil && !slices.Contains(allowed, *s) {
			last := len(allowed) - 1
			p.unexpected(n, field, strings.Join(allowed[:last], ", ")+" or "+allowed[last]+
				" (leave it out if nothing is unusual)")
		}
	}
}

func (p *parser) status(status *int) {
	if n, field := p.get("status"); n != nil {
		*status = int(p.integer(n, field, 0))
		if *status > 999 {
			p.unexpected(n, field, "a status (100 to 999)")
		}
	}
}

func (p *parser) latency(ms *int64) { p.number("latency_ms", ms) }

// number reads an integer, which may be negative.
func (p *parser) number(key string, i *int64) {
	optional(p, key, i, func(n *yaml.Node, field string) int64 {
		return p.integer(n, field, math.MinInt64)
	})
}

func (p *parser) flag(key string, set *bool) { optional(p, key, set, p.boolean) }

func (p *parser) date(key string, d *interaction.Date) { optional(p, key, d, p.day) }

// day returns the day n.
func (p *parser) day(n *yaml.Node, field string) interaction.Date {
	d, err := interaction.ParseDate(n.Text)
	if n.Kind != yaml.Scalar || n.Tag != "" || err != nil {
		p.unexpected(n, field, "the day on which the answer was recorded, such as 2026-11-30; leave "+
			"the key out if it is unknown")
	}
	return d
}

// moments reads the key concurrent: when the interaction began and ended, relative to those that
// overlap it.
func (p *parser) moments(m **interaction.Moments) {
	n, field := p.get(concurrentKey)
	if n == nil {
		return
	}
	isFalse := n.Kind == yaml.Scalar && n.Text == "false" // the same as no value
	if isFalse {
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

// strings returns a function that reads a list of strings. In errors, the strings are called of.
func (p *parser) strings(of string) func(n *yaml.Node, field string) []string {
	return func(n *yaml.Node, field string) []string { return listOf(p, n, field, of, p.stringOf) }
}

// headerFields returns the header fields n.
func (p *parser) headerFields(n *yaml.Node, field string) interaction.Headers {
	hs := make(interaction.Headers, 0, len(n.Elems))
	for _, v := range p.elems(n, field, yaml.Mapping, "a mapping of names to values") {
		h := interaction.Header{Name: p.key(v.Key, field)}
		if v.Kind == yaml.Sequence {
			h.Values = listOf(p, v, field, "values", p.lenientString)
		} else {
			h.Values = []string{p.lenientString(v, field)}
		}
		hs = append(hs, h)
	}
	return hs
}
