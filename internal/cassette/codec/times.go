package codec

import (
	"bytes"
	"fmt"
)

// A cassette has consecutive interactions that are equal, such as those of a poll, as one item
// with the number of interactions: "times: 3".

const (
	MaxTimes   = 10_000 // the most interactions that an item can be
	timesKey   = "times"
	latencyKey = keyStart + "latency_ms: "
)

// TimesStart is the text before the number of interactions in an item.
const TimesStart = keyStart + timesKey + ": "

// EqualExceptLatency reports whether the texts of two interactions, as [Encode] writes them, differ
// at most in the latency.
func EqualExceptLatency(a, b []byte) bool {
	return bytes.Equal(withoutLatency(a), withoutLatency(b))
}

// withoutLatency returns the text of an interaction without the line of its latency.
func withoutLatency(text []byte) []byte {
	i := bytes.LastIndex(text, []byte(latencyKey))
	if i < 0 {
		return text
	}
	line := bytes.IndexByte(text[i+1:], '\n') + 1
	return append(text[:i:i], text[i+line:]...)
}

// WithTimes returns the text of an interaction, as [Encode] writes it, with the key times: the number
// of equal interactions that the text is.
func WithTimes(text []byte, n int) []byte {
	const requestStart = keyStart + "request:\n"
	return bytes.Replace(text, []byte(requestStart), fmt.Appendf(nil, "%s%d%s", TimesStart, n, requestStart), 1)
}
