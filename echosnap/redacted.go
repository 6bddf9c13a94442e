package echosnap

import (
	"os"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// redacted redacts a section as the body of a response: values that look like a secret, the
// secrets of the environment, and the secrets that the open recorders know. It returns an
// error if a secret is left in another spelling.
func redacted(s *snapshot.Section) error {
	environment := new(redact.Policy)
	environment.Environment(os.Environ())
	policies := []*redact.Policy{environment}
	for _, rec := range recorder.Unfinished() {
		policies = append(policies, rec.Policy())
	}
	for _, p := range policies {
		req := interaction.Request{Method: "POST", URL: "http://snapshot/"}
		resp := interaction.Response{Status: 200, Body: []byte(s.Text)}
		p.Response(&req, &resp)
		s.Text = string(resp.Body)
	}
	for _, p := range policies {
		if err := p.Check("the value", []byte(s.Text)); err != nil {
			return err
		}
	}
	return nil
}
