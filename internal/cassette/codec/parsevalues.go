package codec

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/interaction"
)

// recordedValues reads the recorded values, which are keys of the current mapping.
func (p *parser) recordedValues(values *interaction.RecordedValues) {
	if n, field := p.get("options"); n != nil {
		values.Options, _, _ = strings.Cut(p.src[n.Pos:], "\n")
		if n.Kind != yaml.Mapping || values.Options[0] != '{' {
			p.unexpected(n, field, "options on one line, such as {mask_times: true, ignore: [metadata/user]}")
		}
	}
	optional(p, "time", &values.Time, p.time)
	optional(p, "seed", &values.Seed, p.seed)
	optional(p, "env", &values.Env, p.variables)
}

// time returns the time n, in UTC.
func (p *parser) time(n *yaml.Node, field string) time.Time {
	t, err := time.Parse(time.RFC3339, n.Text)
	t = t.UTC()
	isTime := n.Tag == "" && err == nil
	isWholeSecond := t.Nanosecond() == 0
	yearHas4Digits := t.Year() >= 1000 && t.Year() <= 9999 // as RFC 3339 has it, also in UTC
	if !isTime || !isWholeSecond || !yearHas4Digits {
		p.unexpected(n, field, "a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339)")
	}
	return t
}

// seed returns the seed n: hexadecimal digits, in lower case.
func (p *parser) seed(n *yaml.Node, field string) string {
	_, err := hex.DecodeString(n.Text)
	isSeed := n.Tag == "" && err == nil && len(n.Text) == interaction.SeedDigits
	if !isSeed {
		p.unexpected(n, field, fmt.Sprintf("%d hexadecimal digits", interaction.SeedDigits))
	}
	return strings.ToLower(n.Text)
}

// variables returns the values of the environment variables in the mapping n, by name.
func (p *parser) variables(n *yaml.Node, field string) map[string]string {
	env := map[string]string{}
	for _, e := range p.elems(n, field, yaml.Mapping, "a mapping of names to values") {
		env[p.key(e.Key, field)] = p.lenientString(e, field)
	}
	return env
}
