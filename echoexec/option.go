package echoexec

import (
	"strings"

	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/group"
)

// An Option changes how a program is recorded and replayed.
type Option func(*config)

type config struct {
	env   []string // names of variables
	files string   // the folder of Files
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

// Files records the files that the program writes below a folder, and those that
// it removes. In replay they are written, or removed, before the program writes
// the line that it wrote after them. It is for programs that change files by
// themselves, such as coding agents. Give the test a folder of its own:
//
//	dir := t.TempDir()
//	cmd := exec.Command("agent", "--json")
//	cmd.Dir = dir
//	echoexec.Command(rec, "agent", cmd, echoexec.Files(dir))
//
// Folders named .git are left out.
func Files(dir string) Option {
	return func(c *config) { c.files = dir }
}

// spec returns which program a session is with; env is its environment.
func (c *config) spec(name string, env []string) *child.Spec {
	spec := &child.Spec{Name: name, Files: c.files}
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
