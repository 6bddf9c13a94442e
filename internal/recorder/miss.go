package recorder

import (
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/missed"
)

// noteMiss keeps a call that is not recorded, and says why it is not answered; by says who
// asked, if that was not the code of this process.
func (r *Recorder) noteMiss(m *tape.Match, opensSocket bool, by string) report.Miss {
	if !opensSocket && missed.Dir() != "" {
		r.tape.Miss(m)
	}
	return r.log.Miss(m, opensSocket, by)
}
