package redact

import (
	"errors"
	"fmt"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// maxRounds is how often a text is searched at most. What was found in the
// first round is known in the second, and what was next to it is found then.
// The texts of the tests need at most four rounds.
const maxRounds = 8

// errKeepsChanging says that a text is changed by each search of it.
var errKeepsChanging = errors.New("each search for secrets changes the text again")

// A Result says how a redaction ended. The zero Result says nothing.
type Result struct {
	known int   // how many secrets were known when nothing was found any more
	clean bool  // nothing was found then
	err   error // why the texts may still hold secrets
}

// Err returns why the texts may still hold secrets, or nil.
func (r Result) Err() error { return r.err }

// redact returns a text of a side with everything replaced that must not be
// written, or the text itself if there is nothing. It makes known what it has
// replaced and what may be elsewhere, too.
func (p *Policy) redact(text string, in scope, at carrier.Place) (string, error) {
	if text == "" {
		return "", nil
	}
	f := &finder{policy: p, side: in.narrowed(text)}
	for range maxRounds {
		edits, err := f.walker().Edits(text, at)
		if err != nil {
			return text, err
		}
		if len(edits) == 0 {
			return f.postponeExpiry(text, at), nil
		}
		f.learn(edits)
		text = carrier.Splice(text, edits)
	}
	return text, errKeepsChanging
}

// redactBytes is redact for a body. It never changes the bytes of b.
func (p *Policy) redactBytes(b []byte, in scope, mediaType string) ([]byte, error) {
	text := string(b)
	out, err := p.redact(text, in, carrier.Place{MediaType: mediaType})
	if out == text {
		return b, err
	}
	return []byte(out), err
}

// text is redact for a text of no side. It returns a placeholder for a text that
// cannot be searched to its end.
func (p *Policy) text(s string) string {
	out, err := p.redact(s, scope{fields: anywhere}, carrier.Place{})
	if err != nil {
		return Placeholder
	}
	return out
}

// events redacts the events of a stream in place: each field, and the texts that a
// client puts together from several events.
func (p *Policy) events(events []interaction.Event, in scope) error {
	fields, texts := fieldsOf(events)
	if len(fields) == 0 {
		return nil
	}
	f := &finder{policy: p, side: in.narrowed(texts...)}
	for range maxRounds {
		edits, err := f.walker().EditsOfEvents(fields)
		if err != nil {
			return fmt.Errorf("response.events: %w", err)
		}
		isClean := true
		for i := range edits {
			if len(edits[i]) > 0 {
				isClean = false
				f.learn(edits[i])
				fields[i].Value = carrier.Splice(fields[i].Value, edits[i])
			}
		}
		if isClean {
			i := 0
			for _, event := range events {
				for k := range event {
					event[k].Value = fields[i].Value
					i++
				}
			}
			return nil
		}
	}
	return fmt.Errorf("response.events: %w", errKeepsChanging)
}

// fieldsOf returns the fields of events, and their texts.
func fieldsOf(events []interaction.Event) (fields []carrier.Field, texts []string) {
	n := 0
	for _, event := range events {
		n += len(event)
	}
	fields = make([]carrier.Field, 0, n)
	texts = make([]string, 0, n)
	for _, event := range events {
		for _, f := range event {
			fields = append(fields, carrier.Field{Name: f.Name, Value: f.Value})
			texts = append(texts, f.Value)
		}
	}
	return fields, texts
}
