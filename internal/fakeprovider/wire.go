package fakeprovider

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/english"
)

// epoch is when the first request is said to have been created.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// created counts up with the requests.
func (c *call) created() time.Time { return epoch.Add(time.Duration(c.n) * time.Second) }

// bearer is the credential of an Authorization header.
func bearer(h http.Header) (string, bool) {
	key, ok := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return strings.TrimSpace(key), ok
}

// unasked is the key of a vendor that asks for none.
func unasked(http.Header) string { return "none needed" }

// pad is filler text that rounds a length up, as the obfuscation of real streams
// does; theirs is random.
func pad(length int, with string) string {
	const size = 16
	return strings.Repeat(with, (size-length%size)%size)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// contentText is the text of a message's content: a string, or a list of parts.
// A part without text is named with its size, so that it counts.
func contentText(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	parts, _ := content.([]any)
	var said []string
	for _, part := range parts {
		if s, ok := part.(string); ok {
			said = append(said, s)
			continue
		}
		o, _ := part.(object)
		if text, ok := o.get("text").(string); ok {
			said = append(said, text)
		} else if text := o.text("refusal"); text != "" {
			said = append(said, text)
		} else {
			said = append(said, fmt.Sprintf("(%s, %s)", o.text("type"), english.Count(len(encode(o)), "byte")))
		}
	}
	return strings.Join(said, "\n")
}

// appendText adds one text to another on a line of its own.
func appendText(to, text string) string {
	if to == "" || text == "" {
		return to + text
	}
	return to + "\n" + text
}

// stopsOf reads stop sequences: one, or a list.
func stopsOf(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, _ := v.([]any)
	var stops []string
	for _, s := range list {
		if s, ok := s.(string); ok {
			stops = append(stops, s)
		}
	}
	return stops
}

// unframed is an event of a stream without its frame.
type unframed struct {
	kind string
	data object
}

// dataEvent is a server-sent event without a name.
func dataEvent(o object) []byte { return fmt.Appendf(nil, "data: %s\n\n", encode(o)) }

// namedEvent is a server-sent event that is named by the type of its data.
func namedEvent(o object) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", o.text("type"), encode(o))
}

// lastPart is what follows the last slash of a path.
func lastPart(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// jsonLine is an event of newline-delimited JSON.
func jsonLine(o object) []byte { return append(encode(o), '\n') }
