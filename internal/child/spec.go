package child

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

// ServeVariable is the variable of the environment with the address of a host for the stand-ins of
// any program.
const ServeVariable = "PROMPTECHO_STDIO"

// Live is the address in the environment of a live program. What that starts by itself is a part of
// what it does: it runs, and is not recorded apart.
const Live = "live"

// A Spec says which program a session is with.
type Spec struct {
	Name string            // of the program, in the cassette
	Args []string          // without the name of the program
	Dir  string            // the working directory
	Env  map[string]string // the variables that take part in matching

	Files string // the folder whose files are recorded and put back; "" for none

	// Command returns the command of the live program. The error says why there is none.
	Command func() (*exec.Cmd, error)

	// IsFar says that another process takes the place of the program.
	IsFar bool
}

// liveCommand returns the command of the live program.
func (s *Spec) liveCommand() (*exec.Cmd, error) {
	cmd, err := s.Command()
	if err != nil {
		return nil, err
	}
	env := cmd.Environ()
	for i, variable := range env {
		if strings.HasPrefix(variable, ServeVariable+"=") {
			env[i] = ServeVariable + "=" + Live
		}
	}
	cmd.Env = env
	return cmd, nil
}

// CheckName returns an error if a text cannot be the name of a program in a cassette.
func CheckName(name string) error {
	if validName().MatchString(name) {
		return nil
	}
	return fmt.Errorf("promptecho: the name %q of a program must have only letters, digits, "+
		"dots, hyphens and underscores, such as \"claude\"", name)
}

// validName matches what can be the host of a URL as it is.
var validName = memo.Regexp(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// url returns the URL of the program.
func (s *Spec) url() string { return interaction.ProcessURL(s.Name) }

// request returns the request that opens the session.
func (s *Spec) request(ctx context.Context, place *Place) (*http.Request, error) {
	body := struct {
		Args []string          `json:"args"`
		Dir  string            `json:"dir,omitempty"`
		Env  map[string]string `json:"env,omitempty"`
	}{Args: []string{}}
	for _, arg := range s.Args {
		body.Args = append(body.Args, place.MaskSent(arg))
	}
	working, err := os.Getwd()
	if err != nil || working != s.Dir {
		body.Dir = place.without(markDir).MaskSent(s.Dir)
	}
	for name, value := range s.Env {
		if body.Env == nil {
			body.Env = map[string]string{}
		}
		body.Env[name] = place.MaskSent(value)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if s.IsFar {
		ctx = request.WithServed(ctx, request.Served{By: s.Name, Far: true})
	}
	return http.NewRequestWithContext(ctx, http.MethodPost, s.url(), bytes.NewReader(text))
}
