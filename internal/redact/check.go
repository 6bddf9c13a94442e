package redact

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// advice says what becomes of a call with a secret, and what helps.
func (p *Policy) advice() string {
	text := "nothing was written. Keep the secret out of the call"
	if p.HowToRedact != "" {
		text += ", or " + p.HowToRedact
	}
	return text
}

// Check looks for every known secret in what is about to be written, however it is encoded
// there. It returns an error that names the place, never the value.
func (p *Policy) Check(what string, data []byte) error {
	text := string(data)
	edits, err := p.knownIn(text)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", what, err, p.advice())
	}
	if len(edits) > 0 {
		line := 1 + strings.Count(text[:edits[0].Start], "\n")
		return fmt.Errorf("%s: line %d would contain a known secret (%s): %s", what, line, kindOfEdit(edits[0]), p.advice())
	}
	return nil
}

// knownIn returns where a text has known secrets.
func (p *Policy) knownIn(text string) ([]carrier.Edit, error) {
	if p.knowsNone() {
		return nil, nil
	}
	f := &finder{policy: p}
	return f.knownWalker().Edits(text, carrier.Place{})
}

// kindOfEdit returns what was found at the place of an edit.
func kindOfEdit(e carrier.Edit) string {
	if len(e.Causes) == 0 {
		return kindPlain.String()
	}
	return e.Causes[0].Kind
}

// MayContain reports whether the text of a cassette may hold a known secret, however it is
// encoded there, or a line of one.
func (p *Policy) MayContain(text []byte) bool {
	if p.knowsNone() {
		return false
	}
	f := &finder{policy: p, includeLines: true}
	edits, err := f.knownWalker().Edits(string(text), carrier.Place{})
	return err != nil || len(edits) > 0
}

// holdsSecret reports whether a text of a request has a known secret.
func (p *Policy) holdsSecret(text string) bool {
	edits, err := p.knownIn(text)
	return err != nil || len(edits) > 0
}

// CheckInteraction looks for every known secret in the texts of an interaction, as Check
// does. The result is the one of its redaction: an error of that is returned. A response
// that was not redacted since a secret became known is searched for all that must not be
// written.
func (p *Policy) CheckInteraction(what string, it *interaction.Interaction, result Result) error {
	if result.err != nil {
		return fmt.Errorf("%s: %w: %s", what, result.err, p.advice())
	}
	for _, t := range []struct{ place, text string }{
		{"request.url", it.Request.URL},
		{"request.body", string(it.Request.Body)},
	} {
		edits, err := p.knownIn(t.text)
		if err := p.errorFor(what, t.place, edits, err); err != nil {
			return err
		}
	}
	if result.clean && result.known == p.Count() {
		return nil
	}
	return p.checkResponse(what, it)
}

// errorFor returns why a text must not be written in which something was found.
func (p *Policy) errorFor(what, place string, edits []carrier.Edit, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("%s: %s: %w: %s", what, place, err, p.advice())
	case len(edits) == 0:
		return nil
	}
	for _, e := range edits {
		for _, c := range e.Causes {
			if c.Rule == ruleKnown {
				return fmt.Errorf("%s: %s would contain a known secret (%s): %s", what, place, c.Kind, p.advice())
			}
		}
	}
	return fmt.Errorf("%s: a text in %s looks like a secret, or "+
		"Redact matches it: nothing was written. Keep it out of the call",
		what, place)
}

// checkResponse looks for all that must not be written of a response.
func (p *Policy) checkResponse(what string, it *interaction.Interaction) error {
	_, responseScope := scopesOf(&it.Request)
	for _, t := range []struct{ place, text string }{
		{"response.body", string(it.Response.Body)},
		{"response.text", it.Response.Text},
		{"response.error", it.Response.Error},
	} {
		f := &finder{policy: p, scope: responseScope.narrowed(t.text)}
		edits, err := f.walker().Edits(t.text, carrier.Place{})
		if err := p.errorFor(what, t.place, edits, err); err != nil {
			return err
		}
	}
	fields, texts := fieldsOf(it.Response.Events)
	f := &finder{policy: p, scope: responseScope.narrowed(texts...)}
	edits, err := f.walker().EditsOfEvents(fields)
	if err != nil {
		return p.errorFor(what, "response.events", nil, err)
	}
	i := 0
	for event := range it.Response.Events {
		for range it.Response.Events[event] {
			if len(edits[i]) > 0 {
				return p.errorFor(what, f.eventPlace(event, fields[i].Value), edits[i], nil)
			}
			i++
		}
	}
	return nil
}

// eventPlace returns the place of what was found in a field of an event: the event, or the
// stream if it is found only together with other events.
func (f *finder) eventPlace(event int, value string) string {
	alone, err := f.walker().Edits(value, carrier.Place{})
	if err == nil && len(alone) == 0 {
		return "response.events (split over several events)"
	}
	return eventPlace(event)
}

func eventPlace(event int) string { return fmt.Sprintf("response.events[%d]", event) }

// Findings names what in a stored interaction must not be there: the place and the kind,
// never the value. A recording of ours has none; one that was edited or made by something
// else may.
func Findings(it *interaction.Interaction) []string {
	r := findings{}
	requestScope, responseScope := scopesOf(&it.Request)
	r.add("request.url", urlFindings(it.Request.URL)...)
	r.headers("request.headers", it.Request.Headers, func(name, _ string) bool {
		return isSecret(name) && !listed(requestHeaders, name)
	})
	r.text("request.body", string(it.Request.Body), requestScope)
	inAnswer := func(name, value string) bool {
		isRedactedCookie := name == "set-cookie" && strings.Contains(value, "="+Placeholder)
		return isSecretHeader(name, value) && !isRedactedCookie
	}
	r.headers("response.headers", it.Response.Headers, inAnswer)
	r.headers("response.trailers", it.Response.Trailers, inAnswer)
	r.text("response.body", string(it.Response.Body), responseScope)
	r.events(it.Response.Events, responseScope)
	r.text("response.error", it.Response.Error, responseScope)
	return r.found
}

// findings are collected for one interaction.
type findings struct {
	policy Policy
	found  []string
}

func (r *findings) add(place string, kinds ...string) {
	for _, kind := range kinds {
		r.found = append(r.found, place+": "+kind)
	}
}

// text adds what is in a text of a side.
func (r *findings) text(place, text string, in scope) {
	f := &finder{policy: &r.policy, scope: in.narrowed(text)}
	edits, err := f.walker().Edits(text, carrier.Place{})
	if err != nil {
		r.add(place, err.Error())
	}
	r.edits(place, edits)
}

func (r *findings) edits(place string, edits []carrier.Edit) { r.add(place, kindsOf(edits)...) }

// kindsOf returns what was found at the places of edits.
func kindsOf(edits []carrier.Edit) (kinds []string) {
	for _, e := range edits {
		for _, c := range e.Causes {
			if c.Kind != "" {
				kinds = append(kinds, c.Kind)
			}
		}
	}
	return kinds
}

// events adds what is in the events of a stream, and in the texts that are split over them.
func (r *findings) events(events []interaction.Event, in scope) {
	fields, texts := fieldsOf(events)
	f := &finder{policy: &r.policy, scope: in.narrowed(texts...)}
	edits, err := f.walker().EditsOfEvents(fields)
	if err != nil {
		r.add("response.events", err.Error())
	}
	i := 0
	for event := range events {
		for range events[event] {
			if len(edits[i]) > 0 {
				r.edits(f.eventPlace(event, fields[i].Value), edits[i])
			}
			i++
		}
	}
}

// headers adds what is in headers, and those that may hold a secret by their names.
func (r *findings) headers(place string, headers interaction.Headers, mayBe func(name, value string) bool) {
	for _, h := range headers {
		for _, v := range h.Values {
			if mayBe(strings.ToLower(h.Name), v) && !onlyPlaceholder().MatchString(v) {
				r.add(place, fmt.Sprintf("the header %q", h.Name))
			}
			r.text(place, v, scope{fields: anywhere})
		}
	}
}

// urlFindings returns what in a URL must not be there.
func urlFindings(raw string) (kinds []string) {
	u := splitURL(raw)
	if u.user != "" {
		kinds = append(kinds, "a user name or password before the host")
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = coding.UnescapeQuery(name), coding.UnescapeQuery(value)
		if value != "" && (mayBeInQuery(name) || isCertain(name, u.host, value)) && !onlyPlaceholder().MatchString(value) {
			kinds = append(kinds, fmt.Sprintf("the parameter %q", name))
		}
	}
	return append(kinds, kindsIn(raw)...)
}

// CheckVariable returns why an environment variable must not be written, or nil if it may
// be: its name is that of a credential, or its value is a known secret or looks like one.
// The error does not hold the value.
//
// A value that only looks random is taken for a credential, too, since passwords and keys
// without a format do, unless the name says that it is an id or a hash. Those look the
// same.
func (p *Policy) CheckVariable(name, value string) error {
	all := append([]string{""}, words(name)...)
	last := all[len(all)-1]
	if isSecret(name) || last == "pass" || last == "pw" {
		return errors.New("its name is that of a credential")
	}
	edits, err := p.knownIn(value)
	if err != nil {
		return err
	}
	if len(edits) > 0 {
		return fmt.Errorf("its value holds a known secret (%s)", kindOfEdit(edits[0]))
	}
	if kinds := urlFindings(value); len(kinds) > 0 { // finds what it knows in any text
		return fmt.Errorf("its value looks like a credential (%s)", kinds[0])
	}
	if isKey(value) && (!slices.Contains(randomNames, last) || meanings.Get(name).session) {
		return errors.New("its value looks like a credential (if it is " +
			"an id, rename the variable so that its name ends in _ID)")
	}
	if p.replacesNamed(name) || p.text(value) != value {
		return errors.New("the option Redact or RedactFields matches its name or value")
	}
	return nil
}

// IsCredential reports whether a text has the form of a key or a token.
func IsCredential(text string) bool { return len(kindsIn(text)) > 0 }

// kindsIn returns the kinds of what looks like a secret in a text. It shows no value.
func kindsIn(text string) []string {
	f := &finder{policy: new(Policy), scope: scope{fields: anywhere}}
	w := &carrier.Walker{Find: func(l *carrier.Leaf) []carrier.Match {
		if l.Kind != carrier.Text {
			return nil
		}
		return f.findByLooks(l)
	}}
	edits, err := w.Edits(text, carrier.Place{})
	if err != nil {
		return []string{err.Error()}
	}
	return kindsOf(edits)
}
