package codec

import (
	"bytes"
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A formPart is a part of a multipart body, or a pair of a URL-encoded form.
type formPart struct {
	name, file, media string              // what the headers of most say
	headers           interaction.Headers // all of those that say it in another way
	content           []byte
}

// A formKind is how a form is put together from its parts.
type formKind struct {
	boundary string // of a multipart body; empty if the form is URL-encoded
}

// formKindOf returns what the headers of a request say of the form in its body.
func formKindOf(headers interaction.Headers) (k formKind, ok bool) {
	media, params, err := mime.ParseMediaType(headers.Get("content-type"))
	if err == nil && strings.HasPrefix(media, "multipart/") {
		return formKind{params["boundary"]}, params["boundary"] != ""
	}
	return formKind{}, err == nil && media == "application/x-www-form-urlencoded"
}

// split returns the parts of a body. They give the same bytes again, or why says what does not.
func (k formKind) split(body []byte) (parts []formPart, why string) {
	if k.boundary == "" {
		for pair := range strings.SplitSeq(string(body), "&") {
			name, value, _ := strings.Cut(pair, "=")
			parts = append(parts, formPart{name: coding.UnescapeQuery(name), content: []byte(coding.UnescapeQuery(value))})
		}
	} else {
		delimiter := "--" + k.boundary
		text, ok := strings.CutPrefix(string(body), delimiter+"\r\n")
		for ok && why == "" {
			var head, content string
			if head, text, ok = strings.Cut(text, "\r\n\r\n"); !ok {
				return nil, "a part has no headers, or no end of them"
			}
			if content, text, ok = strings.Cut(text, "\r\n"+delimiter); !ok {
				return nil, "it has no end"
			}
			p := partOf(head)
			p.content = []byte(content)
			parts = append(parts, p)
			text, ok = strings.CutPrefix(text, "\r\n")
		}
	}
	if len(parts) == 0 || !bytes.Equal(k.join(parts), body) {
		return nil, "it is spelled in a way of its own"
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
var disposition = regexp.MustCompile(`^Content-Disposition: form-data; name="([^"\\]+)"(?:; filename="([^"\\]+)")?(?:\r\nContent-Type: (\S[^\r\n]*))?$`)

// partOf returns a part with these headers.
func partOf(head string) (p formPart) {
	if m := disposition.FindStringSubmatch(head); m != nil {
		return formPart{name: m[1], file: m[2], media: m[3]}
	}
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		p.headers = append(p.headers, interaction.Header{Name: name, Values: []string{value}})
	}
	return p
}

// unwritable says why a part cannot stand in a cassette.
func (p *formPart) unwritable() string {
	if p.headers == nil {
		if !utf8.ValidString(p.name+p.file+p.media) || p.name == "" {
			return "the name of a part is no text"
		}
		return ""
	}
	names := p.headers.Names()
	slices.Sort(names)
	if len(p.content) == 0 || slices.Contains(names, "") || len(slices.Compact(names)) < len(p.headers) {
		return "the headers of a part, or what stands behind them, are unusual"
	}
	return ""
}

// join returns the body of these parts.
func (k formKind) join(parts []formPart) (body []byte) {
	for i, p := range parts {
		switch {
		case k.boundary != "":
			body = fmt.Appendf(body, "--%s\r\n%s\r\n%s\r\n", k.boundary, p.head(), p.content)
		default:
			if i > 0 {
				body = append(body, '&')
			}
			body = append(body, escapeQuery(p.name)+"="+escapeQuery(string(p.content))...)
		}
	}
	if k.boundary != "" {
		body = append(body, "--"+k.boundary+"--\r\n"...)
	}
	return body
}

// head returns the lines of the headers of a part.
func (p *formPart) head() (head string) {
	for _, h := range p.headers {
		head += h.Name + ": " + strings.Join(h.Values, ",") + "\r\n"
	}
	if p.headers != nil {
		return head
	}
	head = `Content-Disposition: form-data; name="` + p.name + `"`
	if p.file != "" {
		head += `; filename="` + p.file + `"`
	}
	if p.media != "" {
		head += "\r\nContent-Type: " + p.media
	}
	return head + "\r\n"
}

// escapeQuery is [url.QueryEscape], but what stands for a secret was never escaped.
func escapeQuery(s string) string {
	return redacted.ReplaceAllString(url.QueryEscape(s), "[$1]")
}

// redacted matches what stands for a secret, escaped.
var redacted = regexp.MustCompile(`%5B(REDACTED(?:-[0-9a-f]{8})?)%5D`)
