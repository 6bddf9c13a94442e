package accept

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/finding"
)

// A Refusal says why no recording takes a request. The zero value says that
// nothing speaks against it.
type Refusal struct {
	Code finding.Code
	Text string // for people
}

func refusal(code finding.Code, format string, args ...any) Refusal {
	return Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// IsZero reports whether nothing speaks against it.
func (r Refusal) IsZero() bool { return r.Code == "" }
