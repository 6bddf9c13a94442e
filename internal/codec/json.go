package codec

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A jsonSink makes the text of JSON while it is read: most of what is in a cassette is that,
// and a tree of it would take longer than everything else.
type jsonSink struct {
	*parser
	*made
	from    int // where the value begins in what is made
	field   string
	layout  *exactjson.Layout
	printer exactjson.Printer
	first   bool // nothing stands in the collection yet
	list    []bool
}

// enough is how many bytes are made in one piece: one large array is copied too often, and many
// small ones take time.
const enough = 64 << 10

// reset readies the sink for a value that is printed in a layout.
func (s *jsonSink) reset(field string, l *exactjson.Layout) {
	switch {
	case s.made == nil || len(s.bytes) > enough && field != eventsField:
		s.made = &made{bytes: make([]byte, 0, min(len(s.src), enough+enough/8))}
	case len(s.bytes) > enough:
		s.made = &made{bytes: s.toText()}
	}
	s.from, s.field, s.layout, s.printer, s.list = len(s.bytes), field, l, exactjson.NewPrinter(*l), s.list[:0]
	s.printer.Indentation, s.printer.Most = s.indentation, mostIndentation(len(s.src)+s.distinct)
}

// start appends what stands before a key, or before an element that has none.
func (s *jsonSink) start(key bool) {
	n := len(s.list) - 1
	if n < 0 {
		s.bytes = append(s.bytes, s.printer.Before...)
		return
	}
	if key != s.list[n] {
		if !s.first {
			s.bytes = append(s.bytes, s.printer.Comma...)
		}
		s.bytes, s.first = s.printer.Newline(s.bytes, n+1), false
	}
}

func (s *jsonSink) Begin(n *yaml.Node) {
	if n.Tag != "" {
		s.badf(n, s.field, "the tag %s is for text", n.Tag)
	}
	s.start(false)
	isList := n.Kind == yaml.Sequence
	s.list, s.first = append(s.list, isList), true
	s.bytes = append(s.bytes, "{["[b2i(isList)])
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *jsonSink) End(yaml.Kind) {
	n := len(s.list) - 1
	if !s.first {
		s.bytes = s.printer.Newline(s.bytes, n)
	}
	s.bytes = append(s.bytes, "}]"[b2i(s.list[n])])
	s.list, s.first = s.list[:n], false
}

func (s *jsonSink) Key(n *yaml.Node) {
	name := s.key(n, s.field)
	if n.Tag == "!!binary" {
		s.badf(n, s.field, "a JSON name cannot be binary")
	}
	s.start(true)
	s.bytes = append(s.printer.Text(s.bytes, name), s.printer.Colon...)
}

func (s *jsonSink) Scalar(n *yaml.Node) {
	s.start(false)
	v := exactjson.Value{Kind: exactjson.String, Text: n.Text}
	switch {
	case s.err != nil:
		return
	case n.Tag == numbersTag:
		v = s.vector(n, s.field)
		s.printer.Most = mostIndentation(len(s.src) + s.distinct)
	case n.Tag == "!asset":
		v.Text = s.assetText(n, s.field)
	case n.Tag == "!!binary":
		s.badf(n, s.field, "a JSON text cannot be binary")
	default:
		if v.Kind = s.resolve(n, s.field); v.Kind == exactjson.String {
			s.bytes = s.printer.Text(s.bytes, n.Text)
			return
		}
	}
	s.bytes = s.printer.Value(s.bytes, &v, len(s.list))
}

// end returns the text of the value n, unless a small file would become a large one by
// indentation.
func (s *jsonSink) end(n *yaml.Node) []byte {
	if s.err != nil {
		return nil
	}
	s.bytes = s.printer.End(s.bytes)
	return s.checked(n)
}

func (s *jsonSink) checked(n *yaml.Node) []byte {
	if s.indentation = s.printer.Indentation; s.indentation > s.printer.Most {
		s.badf(n, s.field, "the indentation of its JSON is ten times as long as this file; write it as text, or indent it less")
	}
	return slices.Clip(s.bytes[s.from:])
}

func (s *jsonSink) Take(n *yaml.Node) {
	s.end(n)
	s.taken = append(s.taken, takenJSON{s.made, s.from, len(s.bytes), s.layout, s.err})
	s.err = nil // whoever asks for the value says what is wrong with it
	n.Taken = int32(len(s.taken))
}

// direct returns the function by which JSON is made while the text is read: what "body" has,
// and the fields of events. A response is a member of what is depth collections deep.
func (p *parser) direct(depth int) func(int, []yaml.Node, string) yaml.Sink {
	s := &jsonSink{parser: p}
	part, member := "", ""
	var events *exactjson.Layout
	return func(d int, before []yaml.Node, key string) yaml.Sink {
		switch {
		case d == depth:
			part = key
		case d == depth+1:
			if member = key; part != "request" && part != "response" {
				return nil
			}
			switch key {
			case "body":
				s.reset(part+".body", p.layoutIn(before, "layout"))
				return s
			case "events":
				events = p.layoutIn(before, "events_layout")
			}
		case (d == depth+3 || d == depth+4) && member == "events" && part == "response":
			s.reset(eventsField, events)
			return s
		}
		return nil
	}
}

// layoutIn returns the layout among the keys and values of a mapping.
func (p *parser) layoutIn(nodes []yaml.Node, key string) *exactjson.Layout {
	var l exactjson.Layout
	for i := 0; i+1 < len(nodes); i += 2 {
		if nodes[i].Text == key {
			outer := p.in
			l = p.layout(&nodes[i+1], key)
			p.in, p.err = outer, nil // what is wrong with it is said later
		}
	}
	return &l
}

// json returns the JSON that n stands for, printed in a layout.
func (p *parser) json(n *yaml.Node, field string, l exactjson.Layout) []byte {
	if p.err != nil {
		return nil
	}
	s := &jsonSink{parser: p}
	if n.Taken == 0 {
		s.reset(field, &l)
		yaml.Emit(n, s)
		return s.end(n)
	}
	t := &p.taken[n.Taken-1]
	if p.err = t.err; t.err != nil {
		return nil
	}
	text := t.bytes
	if text == nil {
		text = []byte(t.asText)
	}
	if text = text[t.from:t.to:t.to]; *t.layout == l {
		return text
	}
	s.reset(field, &l)
	v, _ := exactjson.Parse(text)
	s.bytes = s.printer.Print(s.bytes, &v)
	return s.checked(n)
}

// value is json for a field of an event, which may have padding.
func (p *parser) value(n *yaml.Node, l exactjson.Layout, padding int) string {
	if l.Padding = padding; n.Taken > 0 && p.err == nil {
		if t := &p.taken[n.Taken-1]; t.err == nil && *t.layout == l {
			if t.bytes != nil {
				t.toText()
			}
			return t.asText[t.from:t.to]
		}
	}
	return string(p.json(n, eventsField, l))
}

const eventsField = "response.events"

// mostIndentation returns how many bytes of indentation there may be in the JSON of a
// text of n bytes. It is more than Encode makes.
func mostIndentation(n int) int { return (maxGrowth+2)*n + 1<<20 }
