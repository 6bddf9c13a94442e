package redact

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// notWritten says what becomes of a call with a secret, and what helps.
const notWritten = "nothing was written. Keep the secret out of the call, or have promptecho.Redact replace it"

// Check looks for every known secret in what is about to be written: as it is, escaped
// for JSON or a URL, in base64, hexadecimal and UTF-16. It returns an error that names the
// place, never the value.
func (p *Policy) Check(what string, data []byte) error {
	if found := p.find(data); found.end > 0 {
		line := 1 + bytes.Count(data[:found.start], []byte("\n"))
		return fmt.Errorf("%s: line %d would contain a known secret (%s): "+notWritten, what, line, found.kind)
	}
	return nil
}

// CheckInteraction looks for every known secret in the texts of an interaction, as Check
// does, and in the strings of its JSON as they read: a file can have them in a spelling of
// its own.
func (p *Policy) CheckInteraction(what string, it *interaction.Interaction, proof int) (err error) {
	check := func(place string, text []byte) {
		for _, text := range append([]string{string(text)}, oddStrings(string(text))...) {
			if found := p.find([]byte(text)); err == nil && found.end > 0 {
				err = fmt.Errorf("%s: %s would contain a known secret (%s): "+notWritten, what, place, found.kind)
			}
		}
	}
	_, answered := sides(&it.Request)
	check("request.url", []byte(it.Request.URL))
	check("request.body", it.Request.Body)
	if plain, ok := coding.Decompress(it.Response.Body); ok {
		check("response.body, decompressed,", plain)
		if err == nil && !bytes.Equal(p.body(it.Response.Body, answered), it.Response.Body) {
			return fmt.Errorf("%s: response.body is compressed, and a text in it looks like a secret, or Redact matches it, which cannot be replaced there: "+
				"nothing was written. Keep it out of the call", what)
		}
	}
	check("response.body", it.Response.Body)
	for i, event := range it.Response.Events {
		for _, f := range event {
			if p.find([]byte(f.Value)).end > 0 || oddStrings(f.Value) != nil { // nearly none
				check(placeOf(i), []byte(f.Value))
			}
		}
	}
	left := false
	if proof != p.Count() {
		splitTexts(it.Response.Events, func(_ joint, text []byte) {
			check("response.events (split over several events)", text)
			left = left || !bytes.Equal(p.body(text, answered), text)
		})
	}
	check("response.text", []byte(it.Response.Text))
	check("response.error", []byte(it.Response.Error))
	if err == nil && left {
		return fmt.Errorf("%s: a text in response.events looks like a secret, or Redact matches it, "+
			"but it is split over several events, where not even Redact can replace it: nothing was written. Keep it out of the call", what)
	}
	return err
}

func placeOf(event int) string { return fmt.Sprintf("response.events[%d]", event) }

// oddStrings returns the strings of JSON text, names too, that have escapes, as they read.
// There is none where nothing is escaped oddly, or twice: a secret stands there in one of
// its spellings.
func oddStrings(text string) (odd []string) {
	if !strings.Contains(text, `\u`) && !strings.Contains(text, `\/`) && !strings.Contains(text, `\\`) {
		return nil
	}
	for s := exactjson.Scan(text); s.Next(); {
		if token := text[s.Start:s.End]; token[0] == '"' && strings.Contains(token, `\`) {
			odd = append(odd, exactjson.UnescapeText(token[1:len(token)-1]))
		}
	}
	return odd
}

// Findings names what in a stored interaction must not be there: the place and the kind,
// never the value. A recording of ours has none; one that was edited or made by something
// else may.
func Findings(it *interaction.Interaction) (found []string) {
	var p Policy
	add := func(place string, kinds ...string) {
		found = append(found, group.Each(kinds, func(kind string) string { return place + ": " + kind })...)
	}
	headers := func(place string, hs interaction.Headers, mayBe func(name, value string) bool) {
		for _, h := range hs {
			for _, v := range h.Values {
				if mayBe(strings.ToLower(h.Name), v) && !onlyPlaceholder().MatchString(v) {
					add(place, fmt.Sprintf("the header %q", h.Name))
				}
				add(place, patternKinds([]byte(v))...)
			}
		}
	}
	asked, answered := sides(&it.Request)
	kindsIn := func(b []byte, in side) (kinds []string) {
		if out := p.fields(b, in); !bytes.Equal(out, b) {
			at := 0
			for at < min(len(b), len(out)) && b[at] == out[at] {
				at++
			}
			kinds, b = append(kinds, fmt.Sprintf("the field %q", nameBefore().FindSubmatch(b[:at])[1])), out
		}
		return append(kinds, patternKinds(b)...)
	}
	add("request.url", urlFindings(it.Request.URL)...)
	headers("request.headers", it.Request.Headers, func(name, _ string) bool { return isSecret(name) && !listed(requestHeaders, name) })
	add("request.body", kindsIn(it.Request.Body, asked)...)
	inAnswer := func(name, value string) bool {
		return isSecretHeader(name, value) && (name != "set-cookie" || !strings.Contains(value, "="+Placeholder))
	}
	headers("response.headers", it.Response.Headers, inAnswer)
	headers("response.trailers", it.Response.Trailers, inAnswer)
	add("response.body", kindsIn(it.Response.Body, answered)...)
	redacted := it.Response.Clone().Events // what is in one piece is found already
	for i, event := range redacted {
		for j, f := range event {
			add(placeOf(i), kindsIn([]byte(f.Value), answered)...)
			event[j].Value = string(p.body([]byte(f.Value), answered))
		}
	}
	splitTexts(redacted, func(_ joint, text []byte) {
		for _, kind := range kindsIn(text, answered) {
			if place := "response.events (split over several events)"; !slices.Contains(found, place+": "+kind) {
				add(place, kind)
			}
		}
	})
	add("response.error", kindsIn([]byte(it.Response.Error), answered)...)
	return found
}

// nameBefore matches what stands before a part of the value of a field, from its name on.
var nameBefore = memo.Regexp(`([\w-]*)[^\w-]*[\w-]*$`)

// urlFindings returns what in a URL must not be there.
func urlFindings(raw string) (kinds []string) {
	u := cut(raw)
	if u.user != "" {
		kinds = append(kinds, "a user name or password before the host")
	}
	for pair := range strings.SplitSeq(u.query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = coding.UnescapeQuery(name), coding.UnescapeQuery(value)
		if value != "" && (mayBeSecret(name) || isCertain(name, u.host, value)) && !onlyPlaceholder().MatchString(value) {
			kinds = append(kinds, fmt.Sprintf("the parameter %q", name))
		}
	}
	return append(kinds, patternKinds([]byte(raw))...)
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
	if found := p.find([]byte(value)); found.end > 0 {
		return fmt.Errorf("its value holds a known secret (%s)", found.kind)
	}
	if kinds := urlFindings(value); len(kinds) > 0 { // finds what it knows in any text
		return fmt.Errorf("its value looks like a credential (%s)", kinds[0])
	}
	if isKey(value) && (!slices.Contains(randomNames, last) || meanings.Get(name).session) {
		return errors.New("its value looks like a credential (if it is an id, rename the variable so that its name ends in _ID)")
	}
	if p.isNamed(name) || p.text(value) != value {
		return errors.New("the option Redact or RedactFields matches its name or value")
	}
	return nil
}

// IsCredential reports whether a text has the form of a key or a token.
func IsCredential(text string) bool { return string(redactPatterns([]byte(text), plainly)) != text }

// randomNames are the last words of names whose values look random and are no secrets.
var randomNames = strings.Fields("id ids uuid guid arn sha sha256 hash digest checksum commit revision build seed")
