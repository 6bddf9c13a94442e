package codec

import (
	"bytes"
	"fmt"
)

// Consecutive interactions that say the same, such as those of a poll, stand in a file once,
// with the number of times.

const (
	MostTimes  = 10_000 // that an interaction can have
	timesKey   = "times"
	latencyKey = keyStart + "latency_ms: "
)

// TimesStart is where an interaction says how many it stands for.
const TimesStart = keyStart + timesKey + ": "

// SameBut reports whether the texts of two interactions, as Encode writes them, say the same,
// whatever time the answers took.
func SameBut(a, b []byte) bool {
	return bytes.Equal(withoutLatency(a), withoutLatency(b))
}

func withoutLatency(text []byte) []byte {
	i := bytes.LastIndex(text, []byte(latencyKey))
	if i < 0 {
		return text
	}
	line := bytes.IndexByte(text[i+1:], '\n') + 1
	return append(text[:i:i], text[i+line:]...)
}

// Times returns the text of an interaction, as Encode writes it, with a number of times.
func Times(text []byte, n int) []byte {
	return bytes.Replace(text, []byte(keyStart+"request:\n"), fmt.Appendf(nil, "%s%s: %d%srequest:\n", keyStart, timesKey, n, keyStart), 1)
}
