package codec

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An Outline is what is known of an interaction without reading it.
type Outline struct {
	Times          int                  // how many interactions its text stands for
	Newer          bool                 // it is of a kind that this version does not know
	Within         bool                 // a function that was recorded, too, asked for it
	Accepted       bool                 // promptecho accept has put a later request into it
	UnknownHeaders bool                 // its request may have had headers that it does not list
	CancelCause    string               // see [interaction.Response.CancelCause]
	Moments        *interaction.Moments // see [interaction.Interaction.Concurrent]
}

// OutlineOf returns the outline of an interaction that was read.
func OutlineOf(it *interaction.Interaction) Outline {
	q := &it.Request
	return Outline{1, false, q.Within != "", it.Accepted, q.UnknownHeaders, it.Response.CancelCause(), it.Concurrent}
}

// FindOutline returns the outline of an interaction whose text Encode and [Times] have written.
// It looks only above the first body, which can be most of the text, and at the end, where
// nothing long stands.
func FindOutline(item []byte) (o Outline) {
	o.Times = 1
	head, _, _ := bytes.Cut(item, []byte(partStart+"body"))
	for line := range bytes.Lines(head) {
		key, value, _ := bytes.Cut(bytes.TrimSuffix(line[min(len(line), itemIndent):], []byte("\n")), []byte(": "))
		switch string(key) {
		case "kind":
			o.Newer = !slices.Contains(interaction.Kinds, string(value))
		case timesKey:
			n, _ := strconv.Atoi(string(value))
			o.Times = max(1, min(n, MostTimes))
		case "within":
			o.Within = true
		case "accepted":
			o.Accepted = true
		case "  unknown_headers": // whatever else is called that is indented deeper
			o.UnknownHeaders = true
		}
	}
	const tail = 300
	_, canceled, _ := bytes.Cut(item[max(0, len(item)-tail):], []byte(partStart+"end: "+interaction.EndCanceled+partStart+"error: "))
	cause, _, _ := bytes.Cut(canceled, []byte("\n"))
	o.CancelCause = string(cause)
	last := bytes.LastIndex(item[:max(0, len(item)-1)], []byte(keyStart))
	if moments, ok := bytes.CutPrefix(item[max(0, last):], []byte(keyStart+momentsKey+": ")); ok {
		o.Moments, _ = interaction.ParseMoments(string(bytes.TrimSuffix(moments, []byte("\n"))))
	}
	return o
}
