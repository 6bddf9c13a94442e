// Package form takes the bodies of forms apart, and puts them together again byte for byte:
// multipart bodies (RFC 2046, section 5.1; RFC 7578) and URL-encoded ones.
package form

import (
	"bytes"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
)

// A Part is a part of a multipart body, or a pair of a URL-encoded form.
type Part struct {
	Name, File, Media string              // what the headers of most say
	Headers           interaction.Headers // all of them, if they say it in another way
	Content           []byte
}

// A Kind is how a form is put together from its parts.
type Kind struct {
	Boundary string // of a multipart body; empty if the form is URL-encoded

	Bare bool // there is no line end behind the last boundary, as Node's fetch leaves it out
}

// KindOf returns what the headers of a request say of the form in its body.
func KindOf(headers interaction.Headers) (k Kind, ok bool) {
	media, params, err := mime.ParseMediaType(headers.Get("content-type"))
	if err == nil && strings.HasPrefix(media, "multipart/") {
		return Kind{Boundary: params["boundary"]}, params["boundary"] != ""
	}
	return Kind{}, err == nil && media == "application/x-www-form-urlencoded"
}

// Split returns the parts of a body. They give the same bytes again, or why says what does not.
func (k *Kind) Split(body []byte) (parts []Part, why string) {
	if k.Boundary == "" {
		for pair := range strings.SplitSeq(string(body), "&") {
			name, value, _ := strings.Cut(pair, "=")
			parts = append(parts, Part{Name: coding.UnescapeQuery(name), Content: []byte(coding.UnescapeQuery(value))})
		}
	} else {
		delimiter := "--" + k.Boundary
		text, ok := strings.CutPrefix(string(body), delimiter+"\r\n")
		for ok && why == "" {
			var head, content string
			if head, text, ok = strings.Cut(text, "\r\n\r\n"); !ok {
				return nil, "a part has no headers, or no empty line after them"
			}
			if content, text, ok = strings.Cut(text, "\r\n"+delimiter); !ok {
				return nil, "a part lacks the boundary at its end"
			}
			p := partOf(head)
			p.Content = []byte(content)
			parts = append(parts, p)
			text, ok = strings.CutPrefix(text, "\r\n")
		}
		k.Bare = text == "--"
	}
	if len(parts) == 0 || !bytes.Equal(k.Join(parts), body) {
		return nil, "joining its parts in the usual way gives other bytes"
	}
	for _, p := range parts {
		if why = p.unwritable(); why != "" {
			return nil, why
		}
	}
	return parts, ""
}

// disposition is a Content-Disposition that says no more than a name, and that of a file
// (RFC 7578, section 4.2).
var disposition = memo.Regexp(`^Content-Disposition: form-data; name="([^"\\]+)"(?:; filename="([^"\\]+)")?(?:\r\nContent-Type: (\S[^\r\n]*))?$`)

// partOf returns a part with these headers.
func partOf(head string) (p Part) {
	if m := disposition().FindStringSubmatch(head); m != nil {
		return Part{Name: m[1], File: m[2], Media: m[3]}
	}
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		p.Headers = append(p.Headers, interaction.Header{Name: name, Values: []string{value}})
	}
	return p
}

// unwritable says why a part cannot stand in a cassette.
func (p *Part) unwritable() string {
	if p.Headers == nil {
		if !utf8.ValidString(p.Name+p.File+p.Media) || p.Name == "" {
			return "the name of a part is not text"
		}
		return ""
	}
	names := p.Headers.Names()
	slices.Sort(names)
	if len(p.Content) == 0 || slices.Contains(names, "") || len(slices.Compact(names)) < len(p.Headers) {
		return "the headers of a part, or the bytes after them, are unusual"
	}
	return ""
}

// Join returns the body of these parts.
func (k Kind) Join(parts []Part) (body []byte) {
	if k.Boundary == "" {
		pairs := group.Each(parts, func(p Part) string { return escapeQuery(p.Name) + "=" + escapeQuery(string(p.Content)) })
		return []byte(strings.Join(pairs, "&"))
	}
	for _, p := range parts {
		body = fmt.Appendf(body, "--%s\r\n%s\r\n%s\r\n", k.Boundary, p.head(), p.Content)
	}
	body = append(body, "--"+k.Boundary+"--"...)
	if k.Bare {
		return body
	}
	return append(body, "\r\n"...)
}

// head returns the lines of the headers of a part.
func (p *Part) head() (head string) {
	for _, h := range p.Headers {
		head += h.Name + ": " + strings.Join(h.Values, ",") + "\r\n"
	}
	if p.Headers != nil {
		return head
	}
	head = `Content-Disposition: form-data; name="` + p.Name + `"`
	if p.File != "" {
		head += `; filename="` + p.File + `"`
	}
	if p.Media != "" {
		head += "\r\nContent-Type: " + p.Media
	}
	return head + "\r\n"
}

// escapeQuery is [url.QueryEscape], but what stands for a secret was never escaped.
func escapeQuery(s string) string {
	return redacted().ReplaceAllString(url.QueryEscape(s), "[$1]")
}

// redacted matches what stands for a secret, escaped.
var redacted = memo.Regexp(`%5B(REDACTED(?:-[0-9a-f]{8})?)%5D`)
