package codec

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Check makes sure that what Encode wrote of an interaction reads as it again. Of a long stream it reads some events at a
// time, each of which is a line: as values, all of them take many times their bytes.
func Check(text []byte, assets map[string][]byte, it *interaction.Interaction) error {
	events := it.Response.Events
	head, lines, _ := bytes.Cut(text, []byte(eventsStart))
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
		text = slices.Concat(head, []byte(eventsStart), lines)
	}
	return check(text, assets, it, events)
}

const eventsStart = partStart + "events:\n"

// check makes sure that a text reads as an interaction with these events, or as any if that is nil.
func check(text []byte, assets map[string][]byte, it *interaction.Interaction, events []interaction.Event) error {
	back, err := Read(text, assets)
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
	return ParseItem("cassette", string(text), func(name string) ([]byte, error) {
		if b, ok := assets[name]; ok {
			return b, nil
		}
		return nil, fs.ErrNotExist
	}, nil)
}

// ParseAnswer is [ParseItem] for a text that Encode wrote, of which it reads only what
// answered the request.
func ParseAnswer(name, text string, asset ReadAsset, beyond Beyond) (*interaction.Interaction, error) {
	start := strings.Index(text, AnswerStart)
	if start < 0 {
		return ParseItem(name, text, asset, beyond)
	}
	p := newParser(name, text[start+1:], asset)
	p.beyond = beyond
	it := new(interaction.Interaction)
	p.read(func(root *yaml.Node) {
		p.mapping(root, "interaction", "", func() { answerFields(p, it) })
	})
	if p.err != nil {
		return ParseItem(name, text, asset, beyond) // the answer of a function, or none at all
	}
	return it, nil
}
