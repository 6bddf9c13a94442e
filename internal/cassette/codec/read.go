package codec

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unsafe"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// EncodeChecked is [Encode] and [Check], with fewer copies of the text.
func EncodeChecked(it *interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	list, assets, err := encodeList(it)
	if err != nil {
		return nil, nil, err
	}
	return list[len(ItemsLine):], assets, checkList(list, assets, it)
}

// Check makes sure that what Encode wrote of an interaction reads as it again.
func Check(text []byte, assets map[string][]byte, it *interaction.Interaction) error {
	return checkList(slices.Concat([]byte(ItemsLine), text), assets, it)
}

// checkList is Check for a list of one interaction. Of a long stream it reads some events at a time,
// each of which is a line: as values, all of them take many times their bytes.
func checkList(list []byte, assets map[string][]byte, it *interaction.Interaction) error {
	events := it.Response.Events
	head, lines, _ := bytes.Cut(list, []byte(eventsStart))
	size, last := max(1<<18, len(head)), bytes.LastIndex(lines, []byte(partStart+"- "))
	if bytes.Contains(lines, []byte(partStart+"events_padding:")) { // which is for all
		last = 0
	}
	for end := 0; last > size; last -= end {
		end = size + bytes.IndexByte(lines[size:], '\n') + 1
		n := min(len(events), bytes.Count(lines[:end], []byte("\n")))
		if err := check(slices.Concat(head, []byte(eventsStart), lines[:end]), assets, nil, events[:n]); err != nil {
			return err
		}
		events, lines = events[n:], lines[end:]
	}
	if len(events) < len(it.Response.Events) {
		list = slices.Concat(head, []byte(eventsStart), lines)
	}
	return check(list, assets, it, events)
}

const eventsStart = partStart + "events:\n"

// check makes sure that a list reads as one interaction with these events: as it, or as any if it is
// nil.
func check(list []byte, assets map[string][]byte, it *interaction.Interaction, events []interaction.Event) error {
	// The bytes stay as they are until what was read is compared: a copy would be the most memory
	// that recording a large answer takes.
	text := unsafe.String(unsafe.SliceData(list), len(list))
	back, err := parseList("cassette", text, assetsOf(assets), nil)
	if err != nil {
		return fmt.Errorf("promptecho cannot read what it would write; please report this: %w", err)
	}
	want := *cmp.Or(it, back)
	want.Response.Events = events
	if d := want.Difference(back); d != "" {
		return fmt.Errorf("%s would be different when it is read back from the cassette; please report this", d)
	}
	return nil
}

// Read reads what Encode returned.
func Read(text []byte, assets map[string][]byte) (*interaction.Interaction, error) {
	return ParseItem("cassette", string(text), assetsOf(assets), nil)
}

// assetsOf returns what reads these assets.
func assetsOf(assets map[string][]byte) ReadAsset {
	return func(name string) ([]byte, error) {
		content, ok := assets[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return content, nil
	}
}

// ParseResponse is [ParseItem] for a text that Encode wrote, of which it reads only what
// answered the request.
func ParseResponse(name, text string, asset ReadAsset, anchor LookUpAnchor) (*interaction.Interaction, error) {
	start := strings.Index(text, ResponseStart)
	if start < 0 {
		return ParseItem(name, text, asset, anchor)
	}
	p := newParser(name, text[start+1:], asset)
	p.anchoredElsewhere = anchor
	it := new(interaction.Interaction)
	p.read(func(root *yaml.Node) {
		p.mapping(root, "interaction", "", func() { responsePartFields(p, it) })
	})
	if p.err != nil {
		return ParseItem(name, text, asset, anchor) // the answer of a function, or none at all
	}
	return it, nil
}
