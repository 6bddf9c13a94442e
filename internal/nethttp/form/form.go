// Package form splits the bodies of forms into parts, and joins the parts byte for byte:
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
	// Name, filename and media type, from headers as most clients write them.
	Name, File, Media string

	// Headers has all headers of a part that writes them in another way.
	Headers interaction.Headers

	Content []byte
}

// A Kind is how a form is put together from its parts.
type Kind struct {
	Boundary string // of a multipart body; empty if the form is URL-encoded
	Bare     bool   // no line end follows the last boundary: Node's fetch writes none
}

// KindOf returns the kind of the form in the body of a request with these headers. ok is
// false if the body is not a form.
func KindOf(headers interaction.Headers) (k Kind, ok bool) {
	media, params, err := mime.ParseMediaType(headers.Get("content-type"))
	if err != nil {
		return Kind{}, false
	}
	if strings.HasPrefix(media, "multipart/") {
		boundary := params["boundary"]
		return Kind{Boundary: boundary}, boundary != ""
	}
	return Kind{}, media == "application/x-www-form-urlencoded"
}

// Split returns the parts of a body, and sets Bare. If Join would not make the same
// bytes from the parts, why says the reason.
func (k *Kind) Split(body []byte) (parts []Part, why string) {
	if k.Boundary == "" {
		parts = splitPairs(string(body))
	} else {
		parts, k.Bare, why = splitMultipart(string(body), "--"+k.Boundary)
	}
	if why != "" {
		return nil, why
	}
	if len(parts) == 0 || !bytes.Equal(k.Join(parts), body) {
		return nil, "joining its parts in the usual way gives other bytes"
	}
	for _, p := range parts {
		why = p.whyUnwritable()
		if why != "" {
			return nil, why
		}
	}
	return parts, ""
}

// splitPairs returns the pairs of a URL-encoded form.
func splitPairs(body string) []Part {
	var parts []Part
	for pair := range strings.SplitSeq(body, "&") {
		name, value, _ := strings.Cut(pair, "=")
		parts = append(parts, Part{
			Name:    coding.UnescapeQuery(name),
			Content: []byte(coding.UnescapeQuery(value)),
		})
	}
	return parts
}

// splitMultipart returns the parts of a multipart body, and whether the last delimiter
// has no line end.
func splitMultipart(body, delimiter string) (parts []Part, bare bool, why string) {
	rest, hasPart := strings.CutPrefix(body, delimiter+"\r\n")
	for hasPart {
		head, afterHead, hasHead := strings.Cut(rest, "\r\n\r\n")
		if !hasHead {
			return nil, false, "a part has no headers, or no empty line after them"
		}
		content, afterPart, hasEnd := strings.Cut(afterHead, "\r\n"+delimiter)
		if !hasEnd {
			return nil, false, "a part lacks the boundary at its end"
		}
		p := parseHead(head)
		p.Content = []byte(content)
		parts = append(parts, p)
		rest, hasPart = strings.CutPrefix(afterPart, "\r\n")
	}
	return parts, rest == "--", ""
}

// usualHead matches headers of a part that have no more than its name, its filename and
// its type (RFC 7578, section 4.2).
var usualHead = memo.Regexp(`^Content-Disposition: form-data; name="([^"\\]+)"(?:; filename="([^"\\]+)")?(?:\r\nContent-Type: (\S[^\r\n]*))?$`)

// parseHead returns a part with these headers, and without its content.
func parseHead(head string) Part {
	m := usualHead().FindStringSubmatch(head)
	if m != nil {
		return Part{Name: m[1], File: m[2], Media: m[3]}
	}
	var p Part
	for line := range strings.SplitSeq(head, "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		p.Headers = append(p.Headers, interaction.Header{Name: name, Values: []string{value}})
	}
	return p
}

// whyUnwritable returns why a cassette cannot have a part, and "" if it can.
func (p *Part) whyUnwritable() string {
	if p.Headers == nil {
		if !utf8.ValidString(p.Name+p.File+p.Media) || p.Name == "" {
			return "the name of a part is not text"
		}
		return ""
	}
	names := p.Headers.Names()
	slices.Sort(names)
	isRepeated := len(slices.Compact(names)) < len(p.Headers)
	if len(p.Content) == 0 || slices.Contains(names, "") || isRepeated {
		return "the headers of a part, or the bytes after them, are unusual"
	}
	return ""
}

// Join returns the body of these parts.
func (k Kind) Join(parts []Part) []byte {
	if k.Boundary == "" {
		pairs := group.Each(parts, func(p Part) string {
			return escapeQuery(p.Name) + "=" + escapeQuery(string(p.Content))
		})
		return []byte(strings.Join(pairs, "&"))
	}
	var body []byte
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
func (p *Part) head() string {
	if p.Headers != nil {
		var lines strings.Builder
		for _, h := range p.Headers {
			lines.WriteString(h.Name + ": " + strings.Join(h.Values, ",") + "\r\n")
		}
		return lines.String()
	}
	head := `Content-Disposition: form-data; name="` + p.Name + `"`
	if p.File != "" {
		head += `; filename="` + p.File + `"`
	}
	if p.Media != "" {
		head += "\r\nContent-Type: " + p.Media
	}
	return head + "\r\n"
}

// escapeQuery is [url.QueryEscape], but leaves the placeholder of a secret as it is.
func escapeQuery(s string) string {
	return redacted().ReplaceAllString(url.QueryEscape(s), "[$1]")
}

// redacted matches the escaped placeholder of a secret.
var redacted = memo.Regexp(`%5B(REDACTED(?:-[0-9a-f]{8})?)%5D`)
