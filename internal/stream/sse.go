package stream

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html:
// lines of "field: value" that end in LF, CRLF or CR; an event ends with a
// blank line. One framing for each line end, so that the bytes come back.
var (
	sse     = sseFraming("sse", "\n")
	sseCRLF = sseFraming("sse-crlf", "\r\n")
	sseCR   = sseFraming("sse-cr", "\r")
)

// sseComment is the field name under which a comment line (": text") reads.
const sseComment = "comment"

func sseFraming(name, eol string) Framing {
	return Framing{
		Name:     name,
		Detect:   func(media string, body []byte) bool { return isSSE(media, body) && firstEOL(body) == eol },
		FrameLen: firstEventLen,
		Fields:   func(frame []byte) ([]Field, bool) { return sseFields(string(frame), eol) },
		Append:   func(dst []byte, fields []Field) ([]byte, error) { return sseAppend(dst, fields, eol) },
	}
}

// isSSE goes by the bytes first: servers send JSON errors as
// text/event-stream, and recorders and gateways lose the content type.
func isSSE(media string, body []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \r\n\t")
	if len(start) == 0 {
		return false
	}
	if media == "text/event-stream" {
		return start[0] != '{' && start[0] != '[' && start[0] != '<'
	}
	begins := func(p string) bool { return bytes.HasPrefix(start, []byte(p)) }
	return media != "text/plain" && slices.ContainsFunc([]string{"data:", "event:", "id:", "retry:", ": "}, begins)
}

// firstEOL returns the first line end of the body, LF if it has none.
func firstEOL(body []byte) string {
	n, text := lineLen(body, true)
	return cmp.Or(string(body[text:n]), "\n")
}

// firstEventLen returns the length of the first event with the blank line that ends it.
func firstEventLen(rest []byte, atEOF bool) int {
	for i := 0; ; {
		n, text := lineLen(rest[i:], atEOF)
		if n == 0 {
			return 0
		}
		i += n
		if text == 0 { // a blank line
			return i
		}
	}
}

// lineLen returns the length of the first line with its end and without. It
// returns 0 if the line is not whole: a CR at the end of what has come may be
// half of a CRLF.
func lineLen(b []byte, atEOF bool) (withEnd, without int) {
	i := bytes.IndexAny(b, "\r\n")
	switch {
	case i < 0:
		return 0, 0
	case b[i] == '\n':
		return i + 1, i
	case i+1 < len(b) && b[i+1] == '\n':
		return i + 2, i
	case i+1 < len(b) || atEOF:
		return i + 1, i
	}
	return 0, 0
}

func sseFields(frame, eol string) ([]Field, bool) {
	body, ok := strings.CutSuffix(frame, eol+eol)
	if !ok || body == "" {
		return nil, false
	}
	var fields []Field
	for line := range strings.SplitSeq(body, eol) {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case !ok || hasBreak(value):
			return nil, false
		case name == "":
			name = sseComment
		case name == sseComment || name == Raw || !isFieldName(name):
			return nil, false
		}
		// One blank behind the colon is no part of the value; where there is
		// none the name keeps the colon, so that the bytes come back.
		value, spaced := strings.CutPrefix(value, " ")
		if !spaced {
			name += ":"
		}
		fields = append(fields, Field{name, value})
	}
	return fields, true
}

func sseAppend(b []byte, fields []Field, eol string) ([]byte, error) {
	for _, f := range fields {
		name, bare := strings.CutSuffix(f.Name, ":")
		switch {
		case name == Raw && bare:
			return nil, fmt.Errorf("field %q must be the only field of its event", Raw)
		case name == Raw || !isFieldName(name):
			return nil, fmt.Errorf("%q is not a field name of a "+
				"server-sent event (want data, event, id, retry or comment)",
				f.Name)
		case hasBreak(f.Value):
			return nil, fmt.Errorf("field %q holds a line break: write one %[1]q field for each line", f.Name)
		case name == sseComment:
			name = ""
		}
		b = append(append(b, name...), ':')
		if !bare {
			b = append(b, ' ')
		}
		b = append(append(b, f.Value...), eol...)
	}
	return append(b, eol...), nil
}

// isFieldName accepts the fields of the specification and the plain names that
// vendors add ("error: {...}").
func isFieldName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
}

// hasBreak is faster than strings.ContainsAny, which looks at each byte.
func hasBreak(s string) bool {
	return strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0
}
