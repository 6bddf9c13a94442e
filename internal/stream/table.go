package stream

import (
	"fmt"
	"strings"
)

// framings is the table of everything that is known; the first that detects a
// body has it.
var framings = []*Framing{&ndjson, &sse, &sseCRLF, &sseCR, &jsonArray, &eventStream}

// Detect returns the framing of a body, nil if it is not a stream.
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

// Lookup returns the framing with the name that a cassette gives.
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
