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

// EncodeChecked returns what [Encode] returns, and the error of [Check]. It makes fewer copies of
// the text than these two.
func EncodeChecked(it *interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	list, assets, err := encodeList(it)
	if err != nil {
		return nil, nil, err
	}
	return list[len(ItemsLine):], assets, checkList(list, assets, it)
}

// Check returns an error if the text and the assets that [Encode] returned for an interaction would
// be read back as another one.
func Check(text []byte, assets map[string][]byte, it *interaction.Interaction) error {
	return checkList(slices.Concat([]byte(ItemsLine), text), assets, it)
}

// checkList is [Check] for a list of one item. It reads the events of a long stream in batches: the
// values of all events would take many times the bytes of their text. Each event is one line.
func checkList(list []byte, assets map[string][]byte, it *interaction.Interaction) error {
	events := it.Response.Events
	head, lines, _ := bytes.Cut(list, []byte(eventsStart))
	batchSize := max(1<<18, len(head)) // in bytes; 256 KiB is large enough to be fast
	lastEvent := bytes.LastIndex(lines, []byte(partStart+"- "))
	if bytes.Contains(lines, []byte(partStart+"events_padding:")) {
		lastEvent = 0 // the paddings are those of all events, so there is one batch
	}
	for lastEvent > batchSize {
		end := batchSize + bytes.IndexByte(lines[batchSize:], '\n') + 1
		n := min(len(events), bytes.Count(lines[:end], []byte("\n")))
		batch := slices.Concat(head, []byte(eventsStart), lines[:end])
		err := check(batch, assets, nil, events[:n])
		if err != nil {
			return err
		}
		events = events[n:]
		lines = lines[end:]
		lastEvent -= end
	}
	if len(events) < len(it.Response.Events) {
		list = slices.Concat(head, []byte(eventsStart), lines)
	}
	return check(list, assets, it, events)
}

const eventsStart = partStart + "events:\n"

// check returns an error unless a list reads as one interaction with these events. The other
// fields must equal those of it; if it is nil, they may have any value.
func check(
	list []byte, assets map[string][]byte, it *interaction.Interaction, events []interaction.Event,
) error {
	// The text shares the bytes of list, which do not change until check returns. A copy would be
	// the largest part of the memory that recording a large response takes.
	text := unsafe.String(unsafe.SliceData(list), len(list))
	back, err := parseList("cassette", text, assetsOf(assets), nil)
	if err != nil {
		return fmt.Errorf("promptecho cannot read what it would write; please report this: %w", err)
	}
	want := *cmp.Or(it, back)
	want.Response.Events = events
	if d := want.Difference(back); d != "" {
		return fmt.Errorf("%s would be different when it is read back from the cassette; "+
			"please report this", d)
	}
	return nil
}

// Read returns the interaction of a text and assets that [Encode] returned.
func Read(text []byte, assets map[string][]byte) (*interaction.Interaction, error) {
	return ParseItem("cassette", string(text), assetsOf(assets), nil)
}

// assetsOf returns a function that reads these assets.
func assetsOf(assets map[string][]byte) ReadAsset {
	return func(name string) ([]byte, error) {
		content, ok := assets[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return content, nil
	}
}

// ParseResponse is [ParseItem] for a text that [Encode] wrote. If it can, it reads only the fields
// of the response, and the interaction that it returns has no request.
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
		return ParseItem(name, text, asset, anchor) // such as the response of a function
	}
	return it, nil
}
