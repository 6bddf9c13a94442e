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

// advice returns the end of an error for a secret that was found: what became of the
// recording, and how to avoid the secret.
func (p *Policy) advice() string {
	text := "nothing was written. Keep the secret out of the call"
	if p.HowToRedact != "" {
		text += ", or " + p.HowToRedact
	}
	return text
}

// Check returns an error if a text that is about to be written has a known secret,
// however it is encoded. The error names the line, never the value.
func (p *Policy) Check(what string, data []byte) error {
	text := string(data)
	edits, err := p.editsOfKnown(text)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", what, err, p.advice())
	}
	if len(edits) > 0 {
		line := 1 + strings.Count(text[:edits[0].Start], "\n")
		return fmt.Errorf("%s: line %d would contain a known secret (%s): %s",
			what, line, kindOfEdit(edits[0]), p.advice())
	}
	return nil
}

// editsOfKnown returns the edits that would replace the known secrets in a text.
func (p *Policy) editsOfKnown(text string) ([]carrier.Edit, error) {
	if p.knowsNone() {
		return nil, nil
	}
	f := &finder{policy: p}
	return f.knownWalker().Edits(text, carrier.Place{})
}

// kindOfEdit returns the kind of secret that an edit replaces.
func kindOfEdit(e carrier.Edit) string {
	if len(e.Causes) == 0 {
		return kindPlain.String()
	}
	return e.Causes[0].Kind
}

// MayContain reports whether the text of a cassette may have a known secret, or one line
// of a known secret, however it is encoded.
func (p *Policy) MayContain(text []byte) bool {
	if p.knowsNone() {
		return false
	}
	f := &finder{policy: p, includeLines: true}
	edits, err := f.knownWalker().Edits(string(text), carrier.Place{})
	return err != nil || len(edits) > 0
}

// hasKnownSecret reports whether a text has a known secret, or cannot be searched.
func (p *Policy) hasKnownSecret(text string) bool {
	edits, err := p.editsOfKnown(text)
	return err != nil || len(edits) > 0
}

// CheckInteraction returns an error if a redacted interaction has a known secret. The
// result is that of its redaction; if it has an error, CheckInteraction returns that.
//
// A response that was redacted before the last secret became known is searched again for
// all that must not be written.
func (p *Policy) CheckInteraction(what string, it *interaction.Interaction, result Result) error {
	if result.err != nil {
		return fmt.Errorf("%s: %w: %s", what, result.err, p.advice())
	}
	for _, t := range []struct{ place, text string }{
		{"request.url", it.Request.URL},
		{"request.body", string(it.Request.Body)},
	} {
		edits, err := p.editsOfKnown(t.text)
		if err := p.errorFor(what, t.place, edits, err); err != nil {
			return err
		}
	}
	if result.clean && result.known == p.Count() {
		return nil
	}
	return p.checkResponse(what, it)
}

// errorFor returns the error for the edits that were found in a text at a place, or for
// an error of the search. It returns nil if there is neither.
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
				return fmt.Errorf("%s: %s would contain a known secret (%s): %s",
					what, place, c.Kind, p.advice())
			}
		}
	}
	return fmt.Errorf("%s: a text in %s looks like a secret, or "+
		"Redact matches it: nothing was written. Keep it out of the call",
		what, place)
}

// checkResponse returns an error if a response has anything that must not be written.
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
	for _, of := range sidesOf(&it.Request, &it.Response) {
		err := p.checkEvents(what, of)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkEvents is checkResponse for events.
func (p *Policy) checkEvents(what string, of side) error {
	fields, texts := of.fields()
	f := &finder{policy: p, scope: of.scope.narrowed(texts...)}
	edits, err := f.walker().EditsOfEvents(fields)
	if err != nil {
		return p.errorFor(what, "response.events", nil, err)
	}
	i := 0
	for k, event := range of.events {
		for range event {
			if len(edits[i]) > 0 {
				place := f.eventPlace(of.number(k), fields[i].Value)
				return p.errorFor(what, place, edits[i], nil)
			}
			i++
		}
	}
	return nil
}

// eventPlace returns the place of a secret that was found in a field of an event. It is
// the event, or the stream if the secret is split over several events: then a search of
// the field alone finds nothing.
func (f *finder) eventPlace(event int, value string) string {
	alone, err := f.walker().Edits(value, carrier.Place{})
	if err == nil && len(alone) == 0 {
		return "response.events (split over several events)"
	}
	return eventPlace(event)
}

// eventPlace returns how messages name an event.
func eventPlace(event int) string { return fmt.Sprintf("response.events[%d]", event) }

// Findings returns the place and the kind of each secret in a recorded interaction, never
// a value. A recording has secrets only if it was edited, or was made by another program.
func Findings(it *interaction.Interaction) []string {
	r := findings{}
	isSecretInRequest := func(name, _ string) bool {
		return isSecret(name) && !isListed(requestHeaders, name)
	}
	isSecretInResponse := func(name, value string) bool {
		isRedactedCookie := name == "set-cookie" && strings.Contains(value, "="+Placeholder)
		return isSecretHeader(name, value) && !isRedactedCookie
	}
	requestScope, responseScope := scopesOf(&it.Request)
	r.add("request.url", urlFindings(it.Request.URL)...)
	r.addHeaders("request.headers", it.Request.Headers, isSecretInRequest)
	r.addText("request.body", string(it.Request.Body), requestScope)
	r.addHeaders("response.headers", it.Response.Headers, isSecretInResponse)
	r.addHeaders("response.trailers", it.Response.Trailers, isSecretInResponse)
	r.addText("response.body", string(it.Response.Body), responseScope)
	for _, of := range sidesOf(&it.Request, &it.Response) {
		r.addEvents(of)
	}
	r.addText("response.error", it.Response.Error, responseScope)
	return r.found
}

// findings are the secrets found in one interaction.
type findings struct {
	policy Policy
	found  []string
}

func (r *findings) add(place string, kinds ...string) {
	for _, kind := range kinds {
		r.found = append(r.found, place+": "+kind)
	}
}

// addText adds the secrets in a text.
func (r *findings) addText(place, text string, in scope) {
	f := &finder{policy: &r.policy, scope: in.narrowed(text)}
	edits, err := f.walker().Edits(text, carrier.Place{})
	if err != nil {
		r.add(place, err.Error())
	}
	r.addEdits(place, edits)
}

func (r *findings) addEdits(place string, edits []carrier.Edit) { r.add(place, kindsOf(edits)...) }

// kindsOf returns the kinds of secrets that edits replace.
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

// addEvents adds the secrets in the events of a stream, and those that are split over
// several events.
func (r *findings) addEvents(of side) {
	fields, texts := of.fields()
	f := &finder{policy: &r.policy, scope: of.scope.narrowed(texts...)}
	edits, err := f.walker().EditsOfEvents(fields)
	if err != nil {
		r.add("response.events", err.Error())
	}
	i := 0
	for k, event := range of.events {
		for range event {
			if len(edits[i]) > 0 {
				r.addEdits(f.eventPlace(of.number(k), fields[i].Value), edits[i])
			}
			i++
		}
	}
}

// addHeaders adds the headers for which isSecret returns true, and the secrets in the
// values of all headers. The name passed to isSecret is in lower case.
func (r *findings) addHeaders(
	place string, headers interaction.Headers, isSecret func(name, value string) bool,
) {
	for _, h := range headers {
		isList := strings.ToLower(h.Name) == subprotocolHeader
		if isList && !slices.Equal(r.policy.subprotocols(h.Values), h.Values) {
			r.add(place, fmt.Sprintf("the header %q", h.Name))
		}
		for _, v := range h.Values {
			if isSecret(strings.ToLower(h.Name), v) && !onlyPlaceholder().MatchString(v) {
				r.add(place, fmt.Sprintf("the header %q", h.Name))
			}
			r.addText(place, v, scope{fields: anywhere})
		}
	}
}

// urlFindings returns the kinds of secrets in a URL.
func urlFindings(raw string) (kinds []string) {
	u := splitURL(raw)
	if u.user != "" {
		kinds = append(kinds, "a user name or password before the host")
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = coding.UnescapeQuery(name)
		value = coding.UnescapeQuery(value)
		mayBeSecret := mayBeInQuery(name) || isCertain(name, u.host, value)
		if value != "" && mayBeSecret && !onlyPlaceholder().MatchString(value) {
			kinds = append(kinds, fmt.Sprintf("the parameter %q", name))
		}
	}
	return append(kinds, kindsIn(raw)...)
}

// CheckVariable returns an error if an environment variable must not be written: it has
// the name of a credential, or its value is a known secret or looks like a secret. The
// error does not have the value.
//
// A value that only looks random counts as a secret, too, because passwords and keys
// without a format look like that. So do IDs and hashes; they are accepted if the name
// says that the value is one.
func (p *Policy) CheckVariable(name, value string) error {
	lastWord := ""
	if all := words(name); len(all) > 0 {
		lastWord = all[len(all)-1]
	}
	if isSecret(name) || lastWord == "pass" || lastWord == "pw" {
		return errors.New("its name is that of a credential")
	}
	edits, err := p.editsOfKnown(value)
	if err != nil {
		return err
	}
	if len(edits) > 0 {
		return fmt.Errorf("its value holds a known secret (%s)", kindOfEdit(edits[0]))
	}
	if kinds := urlFindings(value); len(kinds) > 0 { // searches any text, not only a URL
		return fmt.Errorf("its value looks like a credential (%s)", kinds[0])
	}
	isNamedAsID := slices.Contains(randomNames, lastWord) && !meanings.Get(name).session
	if isKey(value) && !isNamedAsID {
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

// kindsIn returns the kinds of values that look like secrets in a text.
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
