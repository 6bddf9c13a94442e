package script

import (
	"strings"

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

// writeWithoutIDs writes JSON without the values of members that isMadeUp names. Other text is
// written as it is.
func writeWithoutIDs(form *strings.Builder, text string) {
	written := 0
	for s := exactjson.Scan(text); s.Next(); {
		isValue := s.Token == exactjson.Scalar && len(s.Path) > 0
		if isValue && isMadeUp(s.Path[len(s.Path)-1]) {
			form.WriteString(text[written:s.Start])
			written = s.End
		}
	}
	form.WriteString(text[written:])
}

// madeUpNames are the ends of the names of members whose values a server makes up for each session:
// IDs, the times of OpenAI and AssemblyAI ("created_at", "expires_at"), and the random text that
// OpenAI adds to each delta
// (https://platform.openai.com/docs/api-reference/responses/create, include_obfuscation).
var madeUpNames = []string{"_id", "Id", "ID", "_at", "obfuscation"}

// isMadeUp reports whether a server makes up the value of a member for each session.
func isMadeUp(name string) bool {
	if name == "id" {
		return true
	}
	for _, end := range madeUpNames {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
