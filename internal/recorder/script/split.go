package script

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// An Opening is the request that opened a session.
type Opening struct {
	Request interaction.Request // redacted
	Form    *canon.Form
}

// Split returns a message of the client as it is stored and compared: JSON without white space, and
// without its audio. audio is nil if the message brings none.
func (o *Opening) Split(m interaction.Message) (without interaction.Message, audio []byte) {
	switch {
	case m.Kind == interaction.Bytes && o.Form.AudioFrames():
		audio = []byte(m.Data)
		m.Data = ""
	case m.Kind == interaction.Text || m.Kind == interaction.Framed:
		data, piece, hasAudio := canon.CutAudio(o.Request.URL, []byte(m.Data))
		if hasAudio {
			audio = piece
			m.Data = string(data)
		}
		m.Data = compact(m.Data)
	}
	return m, audio
}

// compact returns JSON without white space and needless escapes, and any other text as it is.
func compact(text string) string {
	mayBeJSON := strings.ContainsAny(text, "{[")
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
