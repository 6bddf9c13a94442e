package codec

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An Outline has the properties of an item that are found without parsing its text.
type Outline struct {
	Times          int                  // how many interactions the item is
	Newer          bool                 // its kind is unknown to this version of promptecho
	Within         bool                 // a recorded function sent the request
	Accepted       bool                 // promptecho accept has changed the request
	Fake           bool                 // a fake has given the answer
	Recorded       interaction.Date     // see [interaction.Interaction.Recorded]
	UnknownHeaders bool                 // the request may have had headers that are not recorded
	CancelCause    string               // see [interaction.Response.CancelCause]
	Moments        *interaction.Moments // see [interaction.Interaction.Concurrent]
}

// HasAge is [interaction.Interaction.HasAge].
func (o *Outline) HasAge() bool { return !o.Fake && o.CancelCause == "" }

// OutlineOf returns the outline of an interaction that was parsed.
func OutlineOf(it *interaction.Interaction) Outline {
	return Outline{
		Times:          1,
		Within:         it.Request.Within != "",
		Accepted:       it.Accepted,
		Fake:           it.Fake,
		Recorded:       it.Recorded,
		UnknownHeaders: it.Request.UnknownHeaders,
		CancelCause:    it.Response.CancelCause(),
		Moments:        it.Concurrent,
	}
}

// FindOutline returns the outline of an item whose text [Encode] and [WithTimes] have written.
// It searches only the lines above the first body and the last lines: the body can be most of the
// text.
func FindOutline(item []byte) (o Outline) {
	o.Times = 1
	head, _, _ := bytes.Cut(item, []byte(partStart+"body"))
	for line := range bytes.Lines(head) {
		line = bytes.TrimSuffix(line[min(len(line), itemIndent):], []byte("\n"))
		key, value, _ := bytes.Cut(line, []byte(": "))
		switch string(key) {
		case "kind":
			o.Newer = !slices.Contains(interaction.Kinds, string(value))
		case timesKey:
			n, _ := strconv.Atoi(string(value))
			o.Times = max(1, min(n, MaxTimes))
		case "within":
			o.Within = true
		case "accepted":
			o.Accepted = true
		case "fake":
			o.Fake = true
		case recordedKey:
			o.Recorded = interaction.Date(value)
		case "  unknown_headers": // a key of the request; header fields are indented deeper
			o.UnknownHeaders = true
		}
	}
	o.CancelCause = findCancelCause(item)
	o.Moments = findMoments(item)
	return o
}

// findCancelCause returns the cause of the cancellation, or "" if the request was not canceled.
func findCancelCause(item []byte) string {
	const tailLength = 300 // more than the lines of Encode from "end" to the end of the item
	tail := item[max(0, len(item)-tailLength):]
	canceled := partStart + "end: " + interaction.EndCanceled + partStart + "error: "
	_, tail, _ = bytes.Cut(tail, []byte(canceled))
	cause, _, _ := bytes.Cut(tail, []byte("\n"))
	return string(cause)
}

// findMoments returns the value of the key concurrent, which is the last key of an item, or nil.
func findMoments(item []byte) *interaction.Moments {
	lastKey := bytes.LastIndex(item[:max(0, len(item)-1)], []byte(keyStart))
	text, found := bytes.CutPrefix(item[max(0, lastKey):], []byte(keyStart+concurrentKey+": "))
	if !found {
		return nil
	}
	moments, _ := interaction.ParseMoments(string(bytes.TrimSuffix(text, []byte("\n"))))
	return moments
}
