package codec

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// stream writes what a response that is a stream has beyond others, and the pieces of
// one that is none.
func (e *encoder) stream(r *interaction.Response) {
	e.text("stream", &r.Stream)
	e.comment("text, made of the events below:", r.Text)
	e.events(r.Events)
	e.list("chunks", len(r.Chunks), func(i int) { e.write(strconv.Itoa(r.Chunks[i])) })
	e.delays(r.Delays)
}

// comment writes a text for people: what is edited in it has no meaning, and it is not
// read back.
func (e *encoder) comment(title, text string) {
	if text == "" {
		return
	}
	e.startLine(e.indent)
	e.write("# " + title + "\n")
	for line := range strings.SplitSeq(strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), "\n"), "\n") {
		e.startLine(e.indent)
		switch {
		case line == "":
			e.write("#")
		case yaml.IsClean(line, "\t"):
			e.write("#   " + line)
		default:
			e.buf = yaml.AppendQuoted(append(e.buf, "#   "...), line)
		}
		e.write("\n")
	}
}

// delays writes the delays but for those at the end that say nothing. One
// stays: the lines of a file must not depend on its timing.
func (e *encoder) delays(ds []interaction.Delay) {
	n := len(interaction.TrimDelays(ds))
	e.list("delays_ms", min(max(n, 1), len(ds)), func(i int) { e.write(formatDelay(ds[i])) })
}

// formatDelay returns a delay as it stands in a cassette.
func formatDelay(d interaction.Delay) string {
	if d.Together {
		return "+" + string(d.Rest)
	}
	return strconv.FormatInt(d.MS, 10) + string(d.Rest)
}

// parseDelay reads what formatDelay returns, or says what is wanted in its place.
func parseDelay(text string) (d interaction.Delay, want string) {
	first, _, several := strings.Cut(text, "~")
	d.Together = first == "+"
	if !d.Together {
		var err error
		d.MS, err = strconv.ParseInt(first, 10, 64)
		switch isPlain := err == nil && first == strconv.FormatInt(max(d.MS, 0), 10); {
		case !isPlain && several:
			return d, "whole milliseconds in front of the first ~ (13~1+2), or a + if the event came " +
				"together with the one before it (+~1+2)"
		case !isPlain:
			return d, "an integer, 0 or more"
		}
	}
	if several {
		d.Rest = interaction.Rest(text[len(first):])
		if _, ok := d.Rest.Pieces(); !ok {
			return d, "milliseconds only (13), or MS~BYTES+MS as promptecho wrote it: 13~1+2 is an " +
				"event in two pieces: all but its last byte after 13 ms, and that byte 2 ms later; " +
				"BYTES is how many bytes of the event are still to " +
				"come, so it is smaller in each further ~BYTES+MS"
		}
	}
	return d, ""
}

// events writes a line for each event. JSON in their fields is structure, in one of two
// layouts: compact, or the one that the fields look like, if that fits more of them and does not
// make a small file a large body.
func (e *encoder) events(events []interaction.Event) {
	if len(events) == 0 {
		return
	}
	start := len(e.buf)
	var clues exactjson.Clues
	compact := e.eventsIn(events, exactjson.Layout{}, &clues)
	l := clues.Layout()
	l.Padding = 0
	if l == (exactjson.Layout{}) || !isStorable(l) {
		return
	}
	e.buf = e.buf[:start]
	fitting := e.eventsIn(events, l, nil)
	if fitting.fields > compact.fields && fitting.indentation <= maxGrowth*(len(e.buf)-start) {
		return
	}
	e.buf = e.buf[:start]
	e.eventsIn(events, exactjson.Layout{}, nil)
}

// structureCount counts the fields that are structure, and the bytes of indentation in them.
type structureCount struct{ fields, indentation int }

// eventsIn writes events; fields that layout l prints as they are become structure. All that are
// JSON give clues, which may be nil, what they give away.
func (e *encoder) eventsIn(events []interaction.Event, l exactjson.Layout, clues *exactjson.Clues) (sum structureCount) {
	e.layout("events_layout", l)
	e.key("events")
	e.write("\n")
	paddings, last := make([]int, len(events)), 0 // zeros at the end are not written
	for i, event := range events {
		e.startLine(e.indent)
		paddings[i] = e.event(event, l, clues, &sum)
		if paddings[i] > 0 {
			last = i + 1
		}
	}
	e.list("events_padding", last, func(i int) { e.write(strconv.Itoa(paddings[i])) })
	return sum
}

// event writes e: a mapping, or a list of mappings of one field each if a name occurs
// more than once. It returns the padding of its last field that is structure; the others
// have none.
func (e *encoder) event(event interaction.Event, layout exactjson.Layout, clues *exactjson.Clues, sum *structureCount) (padding int) {
	values := make([]exactjson.Value, len(event)) // null if the field is text
	padded := false
	for i := len(event) - 1; i >= 0; i-- {
		values[i].Name = event[i].Name
		text := event[i].Value
		v, ok := e.structureOf(text)
		if !ok {
			continue
		}
		if clues != nil {
			clues.Add(text)
		}
		l := layout
		if !padded && l.Indent == "" {
			l.Padding = exactjson.PaddingOf(strings.TrimRight(text, " \t\r\n"))
		}
		if !isStorable(l) {
			continue
		}
		if indentation, same := exactjson.Prints(v, l, text); same {
			v.Name = event[i].Name
			values[i] = v
			sum.fields++
			sum.indentation += indentation
			if !padded {
				padding, padded = l.Padding, true
			}
		}
	}
	open, sep, end := "- {", ", ", "}\n"
	if badNames(values) != "" {
		open, sep, end = "- [{", "}, {", "}]\n"
	}
	e.write(open)
	for i, f := range event {
		if i > 0 {
			e.write(sep)
		}
		e.flowString(f.Name)
		e.write(": ")
		if values[i].Kind != exactjson.Null {
			e.flowValue(&values[i])
		} else {
			e.flowString(f.Value)
		}
	}
	e.write(end)
	return padding
}
