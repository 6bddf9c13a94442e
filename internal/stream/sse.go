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
// blank line. Each line end has a framing, so that a framing is lossless.
var (
	sse     = sseFraming("sse", "\n")
	sseCRLF = sseFraming("sse-crlf", "\r\n")
	sseCR   = sseFraming("sse-cr", "\r")
)

// sseComment is the name of the field for a comment line (": text").
const sseComment = "comment"

// sseFraming returns the framing of server-sent events whose lines all end in eol.
func sseFraming(name, eol string) Framing {
	return Framing{
		Name: name,
		Detect: func(media string, body []byte) bool {
			return isSSE(media, body) && firstEOL(body) == eol
		},
		FrameLen: firstEventLen,
		Fields: func(frame []byte) ([]Field, bool) {
			return decodeEvent(string(frame), eol)
		},
		Append: func(dst []byte, fields []Field) ([]byte, error) {
			return appendEvent(dst, fields, eol)
		},
	}
}

// isSSE reports whether a body is server-sent events. The media type is not enough:
// some servers send JSON errors as text/event-stream, and some recorders and gateways
// lose the content type.
func isSSE(media string, body []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \r\n\t")
	if len(start) == 0 {
		return false
	}
	if media == "text/event-stream" {
		return start[0] != '{' && start[0] != '[' && start[0] != '<'
	}
	fieldNames := []string{"data:", "event:", "id:", "retry:", ": "}
	isFirst := func(name string) bool { return bytes.HasPrefix(start, []byte(name)) }
	return media != "text/plain" && slices.ContainsFunc(fieldNames, isFirst)
}

// firstEOL returns the first line end of the body, LF if it has none.
func firstEOL(body []byte) string {
	n, text := lineLen(body, true)
	return cmp.Or(string(body[text:n]), "\n")
}

// firstEventLen returns the length of the first event with the blank line that ends it.
func firstEventLen(rest []byte, atEOF bool) int {
	end := 0
	for {
		n, text := lineLen(rest[end:], atEOF)
		if n == 0 {
			return 0
		}
		end += n
		isBlank := text == 0
		if isBlank {
			return end
		}
	}
}

// lineLen returns the length of the first line with and without its line end. It
// returns 0 if the line is incomplete. A CR at the end of b may be half of a CRLF, unless
// b ends with the body (atEOF).
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

// decodeEvent returns a field for each line of an event. It returns false if appendEvent
// would not return the same event, such as for a line without a colon.
func decodeEvent(frame, eol string) ([]Field, bool) {
	body, ok := strings.CutSuffix(frame, eol+eol)
	if !ok || body == "" {
		return nil, false
	}
	var fields []Field
	for line := range strings.SplitSeq(body, eol) {
		name, value, ok := strings.Cut(line, ":")
		switch {
		case !ok || hasLineBreak(value):
			return nil, false
		case name == "":
			name = sseComment
		case name == sseComment || name == Raw || !isFieldName(name):
			return nil, false
		}
		// A space after the colon is not part of the value. Without the space,
		// the name keeps the colon, so that appendEvent writes the same bytes.
		value, hasSpace := strings.CutPrefix(value, " ")
		if !hasSpace {
			name += ":"
		}
		fields = append(fields, Field{name, value})
	}
	return fields, true
}

// appendEvent appends the event for fields: a line for each, and a blank line.
func appendEvent(b []byte, fields []Field, eol string) ([]byte, error) {
	for _, f := range fields {
		name, hasNoSpace := strings.CutSuffix(f.Name, ":")
		switch {
		case name == Raw && hasNoSpace:
			return nil, fmt.Errorf("field %q must be the only field of its event", Raw)
		case name == Raw || !isFieldName(name):
			return nil, fmt.Errorf("%q is not a field name of a "+
				"server-sent event (want data, event, id, retry or comment)",
				f.Name)
		case hasLineBreak(f.Value):
			return nil, fmt.Errorf("field %q holds a line break: "+
				"write one %[1]q field for each line", f.Name)
		case name == sseComment:
			name = ""
		}
		b = append(append(b, name...), ':')
		if !hasNoSpace {
			b = append(b, ' ')
		}
		b = append(append(b, f.Value...), eol...)
	}
	return append(b, eol...), nil
}

// isFieldName reports whether s is a name of the specification, or a name of lower-case
// letters, as vendors add them ("error: {...}").
func isFieldName(s string) bool {
	isOther := func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }
	return s != "" && !strings.ContainsFunc(s, isOther)
}

// hasLineBreak reports whether s has a line break. It is faster than strings.ContainsAny.
func hasLineBreak(s string) bool {
	return strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0
}
