package accept

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/finding"
)

// A Refusal is the reason why no recording takes a request. The zero value is no refusal.
type Refusal struct {
	Code finding.Code
	Text string // for people
}

func refusal(code finding.Code, format string, args ...any) Refusal {
	return Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// IsZero reports whether there is no refusal.
func (r Refusal) IsZero() bool { return r.Code == "" }
