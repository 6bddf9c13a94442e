package must

import (
	"fmt"
	"strings"
	"time"

	"github.com/promptecho/promptecho"
)

// Values takes recorded values from a recorder, and returns them with blanks between them. Which
// ones is a list of words: "time", "rand:NAME" for a number, "env:NAME".
func Values(r *promptecho.Recorder, which string) string {
	var values []string
	for word := range strings.FieldsSeq(which) {
		kind, name, _ := strings.Cut(word, ":")
		switch kind {
		case "time":
			values = append(values, r.Now().Format(time.RFC3339))
		case "rand":
			values = append(values, fmt.Sprintf("%x", r.Rand(name).Uint64()))
		case "env":
			values = append(values, r.Env(name))
		}
	}
	return strings.TrimSpace(strings.Join(values, " "))
}
