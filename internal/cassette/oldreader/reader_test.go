// Package oldreader has the reader of cassettes of 2026-11-28, as tests: it is kept for a release
// beside the one of packages codec and yaml, and TestReadersAgree runs both over broken files.
// The copied code stays as it was. The folder is deleted when both have agreed for a release.
package oldreader

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// What the old reader takes from the writer of package codec.
type (
	SyntaxError = codec.SyntaxError
	CommandFile = codec.CommandFile
)

const (
	MostTimes = codec.MaxTimes
	timesKey  = "times"
	maxGrowth = 8

	update = "update promptecho: go get github.com/promptecho/promptecho@latest"

	numbersTag = "!numbers"
)

var (
	ErrorAt   = codec.ErrorAt
	assetName = memo.Regexp(`^[0-9a-f]{16}\.[a-z0-9]{1,8}$`)
)

func hashAsset(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

func encodeBase64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// parseDelay reads what formatDelay returns, or says what is wanted in its place.
func parseDelay(text string) (d interaction.Delay, want string) {
	first, _, several := strings.Cut(text, "~")
	d.Together = first == "+"
	if !d.Together {
		var err error
		d.MS, err = strconv.ParseInt(first, 10, 64)
		switch isPlain := err == nil && first == strconv.FormatInt(max(d.MS, 0), 10); {
		case !isPlain && several:
			return d, "whole milliseconds in front of the first ~ (13~1+2), or a + if the event came " +
				"together with the one before it (+~1+2)"
		case !isPlain:
			return d, "an integer, 0 or more"
		}
	}
	if several {
		d.Rest = interaction.Rest(text[len(first):])
		if _, ok := d.Rest.Pieces(); !ok {
			return d, "milliseconds only (13), or MS~BYTES+MS as promptecho wrote it: 13~1+2 is an " +
				"event in two pieces: all but its last byte after 13 ms, and that byte 2 ms later; " +
				"BYTES is how many bytes of the event are still to " +
				"come, so it is smaller in each further ~BYTES+MS"
		}
	}
	return d, ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// cut returns n new values, which it cuts off room. It makes many at once: one by one, each is an
// allocation.
func cut[V any](room *[]V, n int) (cut []V) {
	if *room == nil || len(*room) < n {
		*room = make([]V, max(n, 23)) // so many nodes of YAML fill 2 KB
	}
	cut, *room = (*room)[:n:n], (*room)[n:]
	return cut
}
