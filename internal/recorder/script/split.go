package script

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Split returns a message of a client as it is stored and compared: JSON without white space, and
// audio cut out of it. audio is nil if the message brings none. handshake is the request that
// opened the session.
func Split(
	handshake *interaction.Request, m interaction.Message,
) (without interaction.Message, audio []byte) {
	data, audio := canon.CutAudio(handshake, &m)
	if audio == nil {
		data = m.Data
	}
	m.Data = compact(data)
	return m, audio
}

// compact returns JSON without white space and needless escapes, and any other text as it is.
func compact(text string) string {
	mayBeJSON := strings.IndexAny(text, "{[") >= 0
	if !mayBeJSON {
		return text
	}
	v, err := exactjson.Parse([]byte(text))
	if err != nil {
		return text
	}
	printer := exactjson.NewPrinter(exactjson.Layout{})
	return string(printer.Print(nil, &v))
}

// hasPlaceholder reports whether a message of the client in a session has a placeholder.
func hasPlaceholder(resp *interaction.Response) bool {
	for _, m := range resp.SentMessages() {
		if redact.HasWildcard(m.Data) {
			return true
		}
	}
	return false
}
