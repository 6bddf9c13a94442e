package foreign

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
)

// Contents returns the cassette as promptecho saves it. name is that of the file it was read from, for
// messages. The secrets that a request carries, and those in the environment, are redacted in all
// interactions, as in a recording. If interactions were left out, the cassette is partial, so that
// the next local run records these. It is an error if a secret cannot be redacted.
func (c *Cassette) Contents(name string, environ []string) (*cassette.Contents, error) {
	var policy redact.Policy
	policy.Environment(environ)
	for _, it := range c.Interactions {
		err := policy.Interaction(it).Err()
		if err != nil {
			place := fmt.Sprintf("%s:%d", name, it.Line)
			return nil, finding.Errorf(finding.NotSaved, place, "%w: nothing was written", err)
		}
	}
	contents := &cassette.Contents{Partial: len(c.LeftOut) > 0}
	var options canon.Options
	for _, it := range c.Interactions {
		form := options.Form(&it.Request)
		it.Kind, it.Boundary = form.Kind()
		it.Usage = said.Read(form, &it.Response).Usage
		item, err := tape.Encode(&policy, fmt.Sprintf("%s:%d", name, it.Line), it)
		if err != nil {
			return nil, err
		}
		contents.Items = append(contents.Items, item)
	}
	return contents, nil
}
