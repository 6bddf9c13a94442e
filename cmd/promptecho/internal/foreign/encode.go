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

// Contents returns what is to be saved of a cassette that was read from the file name. It
// is redacted as a recording is: secrets that a request carries, and those in the
// environment, are replaced in all interactions. If interactions were left out it is partial, so
// that the next local run records those. The error says what must not be written.
func (c *Cassette) Contents(name string, environ []string) (*cassette.Contents, error) {
	var policy redact.Policy
	policy.Environment(environ)
	for _, it := range c.Interactions {
		if err := policy.Interaction(it).Err(); err != nil {
			return nil, finding.Errorf(finding.NotSaved, fmt.Sprintf("%s:%d", name, it.Line), "%w: nothing was written", err)
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
