package stream

import (
	"fmt"
	"strings"
)

// framings has all framings. If several detect a body, the first one is used.
var framings = []*Framing{&ndjson, &sse, &sseCRLF, &sseCR, &jsonArray, &eventStream}

// Detect returns the framing of a body, or nil if the body is not a stream.
func Detect(contentType string, body []byte) *Framing {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	for _, f := range framings {
		if f.Detect(media, body) {
			return f
		}
	}
	return nil
}

// Lookup returns the framing with a name, as a cassette has it.
func Lookup(name string) (*Framing, error) {
	names := make([]string, len(framings))
	for i, f := range framings {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return nil, fmt.Errorf("unknown stream framing %q (known: %s)", name, strings.Join(names, ", "))
}
