package echosnap

import (
	"os"
	"sync"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// policy redacts what looks like a secret, and the secrets of the environment.
var policy = sync.OnceValue(func() *redact.Policy {
	p := new(redact.Policy)
	p.Environment(os.Environ())
	return p
})

// redacted redacts a section as the body of an answer, and also what the recorders that are
// open know to be secret.
func redacted(s *snapshot.Section) {
	policies := []*redact.Policy{policy()}
	for _, rec := range report.Unfinished() {
		_, p := report.Inside(rec)
		policies = append(policies, p)
	}
	for _, p := range policies {
		req := interaction.Request{Method: "POST", URL: "http://snapshot/"}
		resp := interaction.Response{Status: 200, Body: []byte(s.Text)}
		p.Response(&req, &resp)
		s.Text = string(resp.Body)
	}
}
