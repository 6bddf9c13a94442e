package redact

import (
	"errors"
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// maxRounds is how often a text is searched at most. A secret found in one round
// is known in the next, which then finds copies of it, and what is next to them.
// The texts of the tests need at most four rounds.
const maxRounds = 8

// errKeepsChanging is the error for a text in which every round finds something.
var errKeepsChanging = errors.New("each search for secrets changes the text again")

// A Result says how a redaction ended. The zero Result is that of no redaction.
type Result struct {
	clean bool  // the last search found nothing
	known int   // if clean: how many secrets were known in that search
	err   error // why the texts may still hold secrets
}

// Err returns why the texts may still hold secrets, or nil.
func (r Result) Err() error { return r.err }

// redact returns a text with everything replaced that must not be written. Secrets
// that it has replaced become known, so that they are found in other texts, too.
// If it returns an error, the text may still have secrets.
func (p *Policy) redact(text string, in scope, at carrier.Place) (string, error) {
	if text == "" {
		return "", nil
	}
	f := &finder{policy: p, scope: in.narrowed(text)}
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

// text is redact for a text that belongs to no body, such as a header. It returns a
// placeholder for a text that cannot be searched to its end.
func (p *Policy) text(s string) string {
	out, err := p.redact(s, scope{fields: anywhere}, carrier.Place{})
	if err != nil {
		return Placeholder
	}
	return out
}

// events redacts events of a stream in place: each field, and the texts that a
// client joins from several events. If it returns an error, no event is changed.
func (p *Policy) events(of side) error {
	fields, texts := of.fields()
	if len(fields) == 0 {
		return nil
	}
	f := &finder{policy: p, scope: of.scope.narrowed(texts...)}
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
			of.setValues(fields)
			return nil
		}
	}
	return fmt.Errorf("response.events: %w", errKeepsChanging)
}

// A side has the events of a response that are redacted alike.
type side struct {
	events  []interaction.Event // with only the fields that are redacted; they share them
	numbers []int               // of the events in the response; nil if they are all of its events
	scope   scope

	// ofProcess says that texts are lines of a process: a secret that ends with one does not
	// go on in the next one.
	ofProcess bool
}

// number returns the number that an event has in the response.
func (s *side) number(event int) int {
	if s.numbers == nil {
		return event
	}
	return s.numbers[event]
}

// sidesOf returns the sides of the response to a request. What the client has sent in a session
// is compared in replay, so it is redacted as a request is: a typed placeholder there would not
// be what a replay makes of the same secret.
func sidesOf(req *interaction.Request, resp *interaction.Response) []side {
	requestScope, responseScope := scopesOf(req)
	if !resp.IsSession() {
		return []side{{events: resp.Events, scope: responseScope}}
	}
	sent := side{scope: requestScope, ofProcess: req.IsForProcess()}
	received := side{scope: responseScope, ofProcess: req.IsForProcess()}
	for i, event := range resp.Events {
		if event.IsSent() {
			// The checksum of audio, if there is any, is not redacted.
			sent.events = append(sent.events, event[:1])
			sent.numbers = append(sent.numbers, i)
			continue
		}
		received.events = append(received.events, event)
		received.numbers = append(received.numbers, i)
	}
	return []side{sent, received}
}

// setValues sets the values of the fields of all events to those of fields, which
// fields has returned.
func (s *side) setValues(fields []carrier.Field) {
	i := 0
	for _, event := range s.events {
		for k := range event {
			event[k].Value = strings.TrimSuffix(fields[i].Value, s.endOf(event[k].Name))
			i++
		}
	}
}

// fields returns the fields of all events in one list, and their values.
func (s *side) fields() (fields []carrier.Field, texts []string) {
	n := 0
	for _, event := range s.events {
		n += len(event)
	}
	fields = make([]carrier.Field, 0, n)
	texts = make([]string, 0, n)
	for _, event := range s.events {
		for _, f := range event {
			value := f.Value + s.endOf(f.Name)
			fields = append(fields, carrier.Field{Name: f.Name, Value: value})
			texts = append(texts, value)
		}
	}
	return fields, texts
}

// endOf returns what follows the value of a field in what the process has written or read.
func (s *side) endOf(field string) string {
	if s.ofProcess && interaction.IsLine(field) {
		return "\n"
	}
	return ""
}
