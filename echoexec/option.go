package echoexec

import (
	"strings"

	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/group"
)

// An Option changes how a program is recorded and replayed.
type Option func(*config)

type config struct {
	env []string // names of variables
}

// newConfig returns what options say.
func newConfig(opts []Option) *config {
	c := &config{}
	group.Apply(opts, c)
	return c
}

// Env names variables of the program's environment that take part in matching:
// a program with another value is another session. Their values are in the
// cassette, without secrets.
func Env(names ...string) Option {
	return func(c *config) { c.env = append(c.env, names...) }
}

// spec returns which program a session is with; env is its environment.
func (c *config) spec(name string, env []string) *child.Spec {
	spec := &child.Spec{Name: name}
	for _, wanted := range c.env {
		for _, variable := range env {
			name, value, _ := strings.Cut(variable, "=")
			if name == wanted {
				if spec.Env == nil {
					spec.Env = map[string]string{}
				}
				spec.Env[name] = value // the last one counts
			}
		}
	}
	return spec
}
