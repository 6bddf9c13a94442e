package redact

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Findings names what in a stored interaction must not be there: the place and
// the kind, never the value. A recording of ours has none; one that was edited or
// made by something else may.
func Findings(it *interaction.Interaction) []string {
	var found []string
	add := func(place, kind string) { found = append(found, place+": "+kind) }
	headers := func(place string, hs interaction.Headers, allowed []string) {
		for _, h := range hs {
			for _, v := range h.Values {
				if isSecret(h.Name) && !listed(allowed, strings.ToLower(h.Name)) && !placeholder().MatchString(v) {
					add(place, fmt.Sprintf("the header %q", h.Name))
				}
				for _, kind := range Shapes([]byte(v)) {
					add(place, kind)
				}
			}
		}
	}
	var p Policy
	asked, answered := fieldsOf(&it.Request)
	in := func(b []byte, find *finder) (kinds []string) {
		if clean := p.fields(b, find); !bytes.Equal(clean, b) {
			kinds, b = append(kinds, "a field that holds a credential"), clean
		}
		return append(kinds, Shapes(b)...)
	}
	body := func(place string, b []byte, find *finder) {
		for _, kind := range in(b, find) {
			add(place, kind)
		}
	}
	u := cut(it.Request.URL)
	if u.user != "" {
		add("request.url", "a user")
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = coding.UnescapeQuery(name), coding.UnescapeQuery(value)
		if (isCredential(name) || isCertain(name, u.host, value)) && value != "" && !placeholder().MatchString(value) {
			add("request.url", fmt.Sprintf("the parameter %q", name))
		}
	}
	for _, kind := range Shapes([]byte(it.Request.URL)) {
		add("request.url", kind)
	}
	headers("request.headers", it.Request.Headers, requestHeaders)
	body("request.body", it.Request.Body, asked)
	headers("response.headers", it.Response.Headers, responseHeaders)
	headers("response.trailers", it.Response.Trailers, responseHeaders)
	body("response.body", it.Response.Body, answered)
	for i, event := range it.Response.Events {
		for _, f := range event {
			for _, kind := range in([]byte(f.Value), answered) { // of many events hardly any has one
				add(fmt.Sprintf("response.events[%d]", i), kind)
			}
		}
	}
	pieces := make([]interaction.Event, len(it.Response.Events))
	for i, event := range it.Response.Events {
		for _, f := range event { // what is in one piece is found already
			pieces[i] = append(pieces[i], interaction.Field{Name: f.Name, Value: string(p.body([]byte(f.Value), answered))})
		}
	}
	split(pieces, func(text []byte) {
		for _, kind := range in(text, answered) {
			if place := "response.events, split over several"; !slices.Contains(found, place+": "+kind) {
				add(place, kind)
			}
		}
	})
	body("response.error", []byte(it.Response.Error), answered)
	return found
}
