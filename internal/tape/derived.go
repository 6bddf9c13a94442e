package tape

import (
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// What the tape computes of all recordings, on first use.

// A placeholderRecording is a recording whose request has placeholders.
type placeholderRecording struct {
	*Recording

	// text is the text of the request; "" if it was left out to save memory.
	text string
}

// recordingsWithPlaceholders returns the recordings whose requests have
// placeholders. It keeps the first texts, up to maxPeeked.
func recordingsWithPlaceholders(recs []*Recording) []placeholderRecording {
	var all []placeholderRecording
	kept := 0
	for _, rec := range recs {
		text := rec.requestText()
		if !redact.HasWildcard(text) {
			continue
		}
		kept += len(text)
		if kept > maxPeeked {
			text = ""
		}
		all = append(all, placeholderRecording{rec, text})
	}
	return all
}

// recordingsByURL returns the recordings that this run did not make, by method
// and URL ("POST https://..."), or by function; see [interaction.Request.String].
func recordingsByURL(recs []*Recording) map[string][]*Recording {
	all := map[string][]*Recording{}
	for _, rec := range recs {
		if rec.Fresh() {
			continue
		}
		rec.viewContent(func(req *interaction.Request, _ *interaction.Response) {
			all[req.String()] = append(all[req.String()], rec)
		})
	}
	return all
}
