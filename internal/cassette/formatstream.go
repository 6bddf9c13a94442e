package cassette

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// stream writes what a response that is a stream has beyond others.
func (w *writer) stream(r *interaction.Response) {
	if r.Stream == "" && len(r.Events) > 0 {
		w.errorf("response: events without a stream")
	}
	if r.Stream != "" && len(r.Body) > 0 {
		w.errorf("response: a body beside stream %q", r.Stream)
	}
	if len(r.Chunks) > 0 && (r.Stream != "" || len(r.Body) == 0) {
		w.errorf("response: chunks are of a body that is no stream")
	}
	w.text(partIndent, "stream", r.Stream)
	w.comment("text, made of the events below:", r.Text)
	if len(r.Events) > 0 {
		start := len(w.buf)
		form := formOf(r.Events)
		w.events(r.Events, form)
		if form.indentation > maxGrowth*(len(w.buf)-start) {
			w.buf = w.buf[:start]
			w.events(r.Events, eventForm{})
		}
	}
	w.chunks(r.Chunks)
	w.delays(r.Delays)
}

// comment writes a text for people: what is edited in it has no meaning, and it is not
// read back.
func (w *writer) comment(title, text string) {
	if text == "" {
		return
	}
	w.buf = exactjson.AppendSpaces(w.buf, partIndent)
	w.raw("# " + title + "\n")
	for line := range strings.SplitSeq(strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), "\n"), "\n") {
		w.buf = exactjson.AppendSpaces(w.buf, partIndent)
		switch {
		case line == "":
			w.raw("#")
		case yaml.IsClean(line, "\t"):
			w.raw("#   " + line)
		default:
			w.buf = yaml.AppendQuoted(append(w.buf, "#   "...), line)
		}
		w.raw("\n")
	}
}

func (w *writer) events(events []interaction.Event, form eventForm) {
	w.layout("events_layout", form.layout)
	w.key(partIndent, "events")
	w.raw("\n")
	p := jsonParsers.Get().(*exactjson.Parser)
	fields := 0
	for _, e := range events {
		var fits []bool
		if form.fits != nil {
			fits = form.fits[fields : fields+len(e)]
		}
		fields += len(e)
		w.event(e, fits, p)
		p.Reset()
	}
	jsonParsers.Put(p)
	w.padding(form.padding)
}

func (w *writer) chunks(lengths []int) {
	if len(lengths) == 0 {
		return
	}
	w.key(partIndent, "chunks")
	sep := " ["
	for i, n := range lengths {
		if n <= 0 {
			w.errorf("response: invalid length %d of chunk %d", n, i+1)
		}
		w.raw(sep + strconv.Itoa(n))
		sep = ", "
	}
	w.raw("]\n")
}

// An eventForm says how the fields of events are written.
type eventForm struct {
	layout  exactjson.Layout // of all values that are structure, but for the padding
	padding []int            // one per event: that of its last value
	fits    []bool           // one per field: it is structure; nil if none is
	count   int              // of those

	indentation int // of all values, in bytes
}

// formOf finds the fields that are JSON in one of two layouts: compact, or the one
// that the fields look like, whichever fits more of them. No value is kept: a stream
// can be long.
func formOf(events []interaction.Event) eventForm {
	var c exactjson.Clues
	compact := fitEvents(events, exactjson.Layout{}, &c)
	l := c.Layout()
	l.Padding = 0
	if l == (exactjson.Layout{}) || !storable(l) {
		return compact
	}
	if fitting := fitEvents(events, l, nil); fitting.count > compact.count {
		return fitting
	}
	return compact
}

// fitEvents finds the fields that layout l prints as they are. All that are JSON give
// c, which may be nil, their clues.
func fitEvents(events []interaction.Event, l exactjson.Layout, c *exactjson.Clues) (form eventForm) {
	p := jsonParsers.Get().(*exactjson.Parser)
	defer jsonParsers.Put(p)
	fields := 0
	for _, e := range events {
		fields += len(e)
	}
	form = eventForm{layout: l, padding: make([]int, len(events)), fits: make([]bool, fields)}
	fields = 0
	for i, e := range events {
		fits := form.fits[fields : fields+len(e)]
		fields += len(e)
		last := true
		for j := len(e) - 1; j >= 0; j-- {
			text := e[j].Value
			v, ok := eventValue(p, text)
			if !ok {
				continue
			}
			if c != nil {
				c.Add(text)
			}
			l.Padding = 0
			if last && l.Indent == "" {
				l.Padding = exactjson.PaddingOf(strings.TrimRight(text, " \t\r\n"))
			}
			if !storable(l) {
				continue
			}
			indentation, same := exactjson.Prints(v, l, text)
			if !same {
				continue
			}
			fits[j] = true
			if last {
				form.padding[i] = l.Padding
			}
			last = false
			form.count++
			form.indentation += indentation
		}
		p.Reset()
	}
	return form
}

// eventValue returns the value of a field that may be written as structure.
func eventValue(p *exactjson.Parser, text string) (v exactjson.Value, ok bool) {
	if !mayBeJSON(text) {
		return v, false
	}
	v, err := p.Parse(text)
	return v, err == nil && structured(&v)
}

// event writes a line for e: a mapping, or a list of mappings of one field each
// if a name occurs more than once. fits says which fields are structure.
func (w *writer) event(e interaction.Event, fits []bool, p *exactjson.Parser) {
	names := make([]string, len(e))
	for i, f := range e {
		names[i] = f.Name
	}
	open, sep, end := "{", ", ", "}"
	if !unique(names) {
		open, sep, end = "[{", "}, {", "}]"
	}
	w.buf = exactjson.AppendSpaces(w.buf, partIndent+2)
	w.raw("- ")
	w.raw(open)
	for i, f := range e {
		if i > 0 {
			w.raw(sep)
		}
		w.flowString(f.Name)
		w.raw(": ")
		if fits != nil && fits[i] {
			v, _ := eventValue(p, f.Value)
			w.flowValue(&v)
		} else {
			w.flowString(f.Value)
		}
	}
	w.raw(end + "\n")
}

// padding writes the paddings but for zeros at the end.
func (w *writer) padding(ps []int) {
	for len(ps) > 0 && ps[len(ps)-1] == 0 {
		ps = ps[:len(ps)-1]
	}
	if len(ps) == 0 {
		return
	}
	w.key(partIndent, "events_padding")
	sep := " ["
	for _, n := range ps {
		w.raw(sep + strconv.Itoa(n))
		sep = ", "
	}
	w.raw("]\n")
}

// delays writes the delays but for those at the end that say nothing. One
// stays: the lines of a file must not depend on its timing.
func (w *writer) delays(ds []interaction.Delay) {
	if len(ds) == 0 {
		return
	}
	ds = ds[:max(1, len(interaction.TrimDelays(ds)))]
	w.key(partIndent, "delays_ms")
	sep := " ["
	for i, d := range ds {
		w.raw(sep)
		sep = ", "
		switch {
		case d.MS < 0 || d.Together && d.MS != 0:
			w.errorf("response: invalid delay %d: %s", i+1, fmt.Sprintf("%+v", d))
		case d.Together:
			w.raw("+")
		default:
			w.raw(strconv.FormatInt(d.MS, 10))
		}
		if _, ok := d.Rest.Pieces(); !ok {
			w.errorf("response: invalid delay %d: %q", i+1, d.Rest)
		}
		w.raw(string(d.Rest))
	}
	w.raw("]\n")
}
