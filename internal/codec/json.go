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
	field   string
	printer exactjson.Printer
	text    []byte
	depth   int
	first   bool // nothing stands in the collection yet
	list    []bool
}

// reset readies the sink for a value that is printed in a layout.
func (s *jsonSink) reset(field string, l exactjson.Layout) {
	s.field, s.printer, s.text, s.list, s.depth = field, exactjson.NewPrinter(l), s.text[:0], s.list[:0], 0
	s.printer.Indentation, s.printer.Most = s.indentation, mostIndentation(len(s.src)+s.distinct)
}

// start appends what stands before a key, or before an element that has none.
func (s *jsonSink) start(key bool) {
	n := len(s.list) - 1
	if n < 0 {
		s.text = append(s.text, s.printer.Before...)
		return
	}
	if key != s.list[n] {
		if !s.first {
			s.text = append(s.text, s.printer.Comma...)
		}
		s.text, s.first = s.printer.Newline(s.text, n+1), false
	}
}

func (s *jsonSink) Begin(n *yaml.Node) {
	if n.Tag != "" {
		s.badf(n, s.field, "the tag %s is for text", n.Tag)
	}
	s.start(false)
	isList := n.Kind == yaml.Sequence
	s.list, s.first = append(s.list, isList), true
	s.text = append(s.text, "{["[b2i(isList)])
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
		s.text = s.printer.Newline(s.text, n)
	}
	s.text = append(s.text, "}]"[b2i(s.list[n])])
	s.list, s.first = s.list[:n], false
}

func (s *jsonSink) Key(n *yaml.Node) {
	name := s.key(n, s.field)
	if n.Tag == "!!binary" {
		s.badf(n, s.field, "a JSON name cannot be binary")
	}
	s.start(true)
	s.text = append(s.printer.Text(s.text, name), s.printer.Colon...)
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
			s.text = s.printer.Text(s.text, n.Text)
			return
		}
	}
	s.text = s.printer.Value(s.text, &v, len(s.list))
}

// end returns the text of the value n, unless a small file would become a large one by
// indentation.
func (s *jsonSink) end(n *yaml.Node) []byte {
	if s.err != nil {
		return nil
	}
	s.text = s.printer.End(s.text)
	return s.checked(n)
}

func (s *jsonSink) checked(n *yaml.Node) []byte {
	if s.indentation = s.printer.Indentation; s.indentation > s.printer.Most {
		s.badf(n, s.field, "the indentation of its JSON is ten times as long as this file; write it as text, or indent it less")
	}
	return s.text
}

func (s *jsonSink) Take(n *yaml.Node) {
	t := takenJSON{text: s.end(n), layout: s.printer.Layout, err: s.err}
	s.err = nil // whoever asks for the value says what is wrong with it
	switch {
	case s.field == eventsField:
		t.text, t.value = nil, string(t.text)
	case len(t.text) > 1<<20:
		s.text = nil // it is the body's
	default:
		t.text = slices.Clone(t.text)
	}
	s.taken = append(s.taken, t)
	n.Taken = int32(len(s.taken))
}

// direct returns the function by which JSON is made while the text is read: what "body" has,
// and the fields of events. A response is a member of what is depth collections deep.
func (p *parser) direct(depth int) func(int, []yaml.Node, string) yaml.Sink {
	s := &jsonSink{parser: p}
	part, member := "", ""
	var events exactjson.Layout
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
func (p *parser) layoutIn(nodes []yaml.Node, key string) (l exactjson.Layout) {
	for i := 0; i+1 < len(nodes); i += 2 {
		if nodes[i].Text == key {
			outer := p.in
			l = p.layout(&nodes[i+1], key)
			p.in, p.err = outer, nil // what is wrong with it is said later
		}
	}
	return l
}

// json returns the JSON that n stands for, printed in a layout.
func (p *parser) json(n *yaml.Node, field string, l exactjson.Layout) (text []byte) {
	if p.err != nil {
		return nil
	}
	s := &jsonSink{parser: p}
	if n.Taken == 0 {
		s.reset(field, l)
		yaml.Emit(n, s)
		return s.end(n)
	}
	t := &p.taken[n.Taken-1]
	if p.err = t.err; t.err != nil {
		return nil
	}
	if text = t.text; text == nil {
		text = []byte(t.value)
	}
	if t.layout == l {
		return text
	}
	s.reset(field, l)
	v, _ := exactjson.Parse(text)
	s.text = s.printer.Print(s.text, &v)
	return s.checked(n)
}

// value is json for a field of an event, which may have padding.
func (p *parser) value(n *yaml.Node, l exactjson.Layout, padding int) string {
	if n.Taken > 0 && p.err == nil && p.taken[n.Taken-1].err == nil && padding == 0 && p.taken[n.Taken-1].layout == l {
		return p.taken[n.Taken-1].value
	}
	l.Padding = padding
	return string(p.json(n, eventsField, l))
}

const eventsField = "response.events"

// mostIndentation returns how many bytes of indentation there may be in the JSON of a
// text of n bytes. It is more than Encode makes.
func mostIndentation(n int) int { return (maxGrowth+2)*n + 1<<20 }
