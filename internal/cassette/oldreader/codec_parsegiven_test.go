package oldreader

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// given reads what the mapping that is being read has for the test.
func (p *parser) given(g *interaction.RecordedValues) {
	if n, field := p.get("options"); n != nil {
		g.Options, _, _ = strings.Cut(p.src[n.Pos:], "\n")
		if n.Kind != Mapping || g.Options[0] != '{' {
			p.want(n, field, "options on one line, such as {mask_times: true, ignore: [metadata/user]}")
		}
	}
	optional(p, "time", &g.Time, p.time)
	optional(p, "seed", &g.Seed, p.seed)
	optional(p, "env", &g.Env, p.variables)
}

// time returns the time n. A year of more or fewer digits cannot be written again.
func (p *parser) time(n *Node, field string) time.Time {
	t, err := time.Parse(time.RFC3339, n.Text)
	t = t.UTC()
	if n.Tag != "" || err != nil || t.Nanosecond() != 0 || t.Year() < 1000 || t.Year() > 9999 {
		p.want(n, field, "a time in whole seconds, such as 2026-11-22T15:30:12Z (RFC 3339)")
	}
	return t
}

func (p *parser) seed(n *Node, field string) string {
	if _, err := hex.DecodeString(n.Text); n.Tag != "" || err != nil || len(n.Text) != interaction.SeedDigits {
		p.want(n, field, fmt.Sprintf("%d hexadecimal digits", interaction.SeedDigits))
	}
	return strings.ToLower(n.Text)
}

func (p *parser) variables(n *Node, field string) map[string]string {
	env := map[string]string{}
	for _, e := range p.elems(n, field, Mapping, "a mapping of names to values") {
		env[p.key(e.Key, field)] = p.loose(e, field)
	}
	return env
}
