package codec

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// stream writes the fields of a response that only streams have, and the chunks of a body that is
// not a stream.
func (e *encoder) stream(r *interaction.Response) {
	e.text("stream", &r.Stream)
	e.comment("text, made of the events below:", r.Text)
	e.events(r.Events)
	e.list("chunks", len(r.Chunks), func(i int) { e.write(strconv.Itoa(r.Chunks[i])) })
	e.delays(r.Delays)
}

// messages writes the messages of a session, if a function has opened one.
func (e *encoder) messages(r *interaction.Response) {
	if r.Stream == "" {
		return
	}
	e.text("stream", &r.Stream)
	e.events(r.Events)
	e.delays(r.Delays)
	e.text("end", &r.End)
}

// comment writes a text for people as a comment of YAML, which the parser ignores.
func (e *encoder) comment(title, text string) {
	if text == "" {
		return
	}
	e.startLine(e.indent)
	e.write("# " + title + "\n")
	text = strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), "\n")
	for line := range strings.SplitSeq(text, "\n") {
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

// delays writes the delays without the zeros at the end. One delay is written in any case: which
// lines a file has must not depend on timing.
func (e *encoder) delays(delays []interaction.Delay) {
	n := max(1, len(interaction.TrimDelays(delays)))
	n = min(n, len(delays))
	e.list("delays_ms", n, func(i int) { e.write(formatDelay(delays[i])) })
}

// formatDelay returns a delay as the cassette has it: "13", "+", or "13~1+2" if the event came in
// several pieces.
func formatDelay(d interaction.Delay) string {
	if d.Together {
		return "+" + string(d.Rest)
	}
	return strconv.FormatInt(d.MS, 10) + string(d.Rest)
}

// parseDelay parses the text of a delay, as formatDelay returns it. For any other text it returns
// in want what the text must be.
func parseDelay(text string) (d interaction.Delay, want string) {
	first, _, hasPieces := strings.Cut(text, "~")
	d.Together = first == "+"
	if !d.Together {
		var err error
		d.MS, err = strconv.ParseInt(first, 10, 64)
		isPlainNumber := err == nil && first == strconv.FormatInt(max(d.MS, 0), 10) // not "+1", "01"
		switch {
		case !isPlainNumber && hasPieces:
			return d, "whole milliseconds in front of the first ~ (13~1+2), or a + if the event came " +
				"together with the one before it (+~1+2)"
		case !isPlainNumber:
			return d, "an integer, 0 or more"
		}
	}
	if hasPieces {
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

// events writes one line for each event. JSON in the fields of events is written as structure if
// the cassette has its layout. All events have one layout: the compact one, or the one that most
// fields seem to have, if that makes more fields structure without much indentation.
func (e *encoder) events(events []interaction.Event) {
	if len(events) == 0 {
		return
	}
	start := e.savepoint()
	var clues exactjson.Clues
	compact := e.eventsInLayout(events, exactjson.Layout{}, &clues)
	l := clues.Layout()
	l.Padding = 0
	if l == (exactjson.Layout{}) || !isStorable(l) {
		return
	}
	e.rollback(start)
	detected := e.eventsInLayout(events, l, nil)
	hasMoreStructure := detected.fields > compact.fields
	if hasMoreStructure && detected.indentation <= maxGrowth*(len(e.buf)-start.length) {
		return
	}
	e.rollback(start)
	e.eventsInLayout(events, exactjson.Layout{}, nil)
}

// A structureCount counts the fields of events that are written as structure, and the bytes of
// indentation in these fields.
type structureCount struct{ fields, indentation int }

// eventsInLayout writes events. A field is written as structure if its JSON printed in layout l is
// the text of the field. If clues is not nil, the text of every field that is JSON is added to it.
func (e *encoder) eventsInLayout(
	events []interaction.Event, l exactjson.Layout, clues *exactjson.Clues,
) (sum structureCount) {
	e.layout("events_layout", l)
	e.key("events")
	e.write("\n")
	paddings := make([]int, len(events))
	paddingCount := 0 // without the zeros at the end
	for i, event := range events {
		e.startLine(e.indent)
		paddings[i] = e.event(event, l, clues, &sum)
		if paddings[i] > 0 {
			paddingCount = i + 1
		}
	}
	e.list("events_padding", paddingCount, func(i int) { e.write(strconv.Itoa(paddings[i])) })
	return sum
}

// event writes an event: a mapping of its fields, or a list of mappings of one field each if a name
// occurs twice or is very long. It returns the padding of the last field that is structure; other
// fields must have no padding to be structure. See eventsInLayout for layout and clues.
func (e *encoder) event(
	event interaction.Event, layout exactjson.Layout, clues *exactjson.Clues, sum *structureCount,
) (padding int) {
	values, padding := e.eventValues(event, layout, clues, sum)
	style := mappingStyle
	if badNames(values) != "" {
		style = listStyle
	}
	e.write(style.opening)
	for i, f := range event {
		if i > 0 {
			e.write(style.separator)
		}
		e.flowString(f.Name)
		e.write(": ")
		switch {
		case values[i].Kind != exactjson.Null:
			e.flowValue(&values[i])
		case isAssetField(f):
			e.taggedText("!asset ", "@"+e.asset([]byte(f.Value), "", ""), false)
		default:
			e.flowString(f.Value)
		}
	}
	e.write(style.closing)
	return padding
}

// isAssetField reports whether a field of an event has so many bytes that are no text that they
// are an asset.
func isAssetField(f interaction.Field) bool {
	isLarge := interaction.IsBytesField(f.Name) && len(f.Value) > minAssetBody
	return isLarge && (!utf8.ValidString(f.Value) || strings.Contains(f.Value, "\x00"))
}

// An eventStyle has the text around and between the fields of an event.
type eventStyle struct{ opening, separator, closing string }

var (
	mappingStyle = eventStyle{"- {", ", ", "}\n"}     // a mapping of all fields
	listStyle    = eventStyle{"- [{", "}, {", "}]\n"} // a list of mappings of one field each
)

// eventValues returns a value for each field of an event: the value of its JSON if the field is
// written as structure, and null if the field is written as text. It adds the fields that are
// structure to sum.
func (e *encoder) eventValues(
	event interaction.Event, layout exactjson.Layout, clues *exactjson.Clues, sum *structureCount,
) (values []exactjson.Value, padding int) {
	values = make([]exactjson.Value, len(event))
	isSent := len(event) > 0 && interaction.IsSentField(event[0].Name)
	if isSent {
		// What a client sends is recorded without white space, since it is only compared.
		layout = exactjson.Layout{}
		clues = nil
	}
	isLastStructure := true
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
		mayHavePadding := isLastStructure && l.Indent == "" && !isSent
		if mayHavePadding {
			l.Padding = exactjson.PaddingOf(strings.TrimRight(text, " \t\r\n"))
		}
		if !isStorable(l) {
			continue
		}
		indentation, isSame := exactjson.Prints(v, l, text)
		if !isSame {
			continue
		}
		v.Name = event[i].Name
		values[i] = v
		sum.fields++
		sum.indentation += indentation
		if isLastStructure {
			padding = l.Padding
			isLastStructure = false
		}
	}
	return values, padding
}
