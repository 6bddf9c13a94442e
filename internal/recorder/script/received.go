package script

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// receivedForm returns a text that is equal for events of the server which differ only in what a
// server makes up for each session. A session that has received such an event may still move to
// another recording. The Realtime API of OpenAI, for one, begins each session with an ID and a time,
// before the client has said anything.
func receivedForm(event interaction.Event) string {
	var form strings.Builder
	for _, f := range event {
		form.WriteString(f.Name)
		form.WriteByte(' ')
		if interaction.IsPayload(f.Name) {
			writeWithoutIDs(&form, f.Value)
		} else {
			form.WriteString(f.Value)
		}
		form.WriteByte(0)
	}
	return form.String()
}

// writeWithoutIDs writes JSON without the values of members that isMadeUp names, and without what
// an answer has cost. Other text is written as it is.
func writeWithoutIDs(form *strings.Builder, text string) {
	written := 0
	for s := exactjson.Scan(text); s.Next(); {
		if s.Token != exactjson.Scalar || len(s.Path) == 0 {
			continue
		}
		isCost := slices.ContainsFunc(s.Path, chance.Counts)
		if isCost || isMadeUp(s.Path[len(s.Path)-1]) {
			form.WriteString(text[written:s.Start])
			written = s.End
		}
	}
	form.WriteString(text[written:])
}

// isMadeUp reports whether a server makes up the value of a member for each session: IDs, times,
// durations, and the random text that OpenAI adds to each delta
// (https://platform.openai.com/docs/api-reference/responses/create, include_obfuscation).
func isMadeUp(name string) bool {
	return chance.IDs(name) || strings.HasSuffix(name, "ID") || chance.Noise(name)
}
