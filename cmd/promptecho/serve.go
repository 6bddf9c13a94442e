package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/serve"
	"github.com/promptecho/promptecho/internal/shell"
)

const serveHelp = `serve [-cassette FILE] [-mode MODE] [FLAGS] [-- command ...]
record and replay a program in any language

It runs the command with variables that point SDKs to the cassette:
OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST and
AWS_ENDPOINT_URL_BEDROCK_RUNTIME. Without a command it prints them for a shell
and serves until it is stopped (^C).

  -cassette FILE      the cassette; the default is serve.yaml
  -mode MODE          the record mode; the default is PROMPTECHO_MODE, then none
                      if CI is set, then once
  -upstream UPSTREAM  add one: VARIABLE=URL is an upstream and the variable that
                      is set to the address to use instead
  -pass SERVER        as promptecho.PassThrough: http/HOST goes upstream in
                      every mode, and nothing of it is recorded

In a mode that sends nothing upstream the keys are dummies.

The exit status is that of the command. If that is 0, it is 1 if a request has
no recording, a recording was not used, or nothing was sent. If the command
fails or is interrupted (^C), a new cassette is marked partial.
`

// runServe answers for upstreams from a cassette while a command runs, or until it is stopped.
func runServe(args []string, stdout, stderr io.Writer) error {
	s := &serving{stdout: stdout, stderr: stderr}
	if i := slices.Index(args, "--"); i >= 0 {
		args, s.command = args[:i], args[i+1:]
		if len(s.command) == 0 {
			return errors.New("there is no command after --")
		}
	}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&s.cassette, "cassette", "serve.yaml", "")
	flags.StringVar(&s.mode, "mode", "", "")
	flags.Func("pass", "", func(text string) error {
		s.passing = append(s.passing, text)
		return nil
	})
	flags.Func("upstream", "", func(text string) error {
		if name, url, ok := strings.Cut(text, "="); !ok || name == "" || url == "" {
			return errors.New("it is not VARIABLE=URL, such as MISTRAL_URL=https://api.mistral.ai/v1")
		}
		s.upstreams = append(s.upstreams, text)
		return nil
	})
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: the command to run goes after --", rest[0])
	}
	return s.run()
}

// A serving answers for upstreams.
type serving struct {
	cassette, mode string
	upstreams      []string // VARIABLE=URL
	passing        []string // what is not to be recorded
	command        []string // empty if there is none
	stdout, stderr io.Writer

	rec   *promptecho.Recorder
	asked atomic.Bool
}

// RoundTrip hands a request to the recorder, and notes that there was one.
func (s *serving) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked.Store(true)
	return s.rec.RoundTrip(req)
}

func (s *serving) say(text string) { fmt.Fprintf(s.stderr, "promptecho: serve: %s\n", text) }

func (s *serving) run() error {
	var opts []promptecho.Option
	if s.mode != "" {
		opts = append(opts, report.InMode(s.mode, "-mode").(promptecho.Option))
	}
	if len(s.command) == 0 {
		opts = append(opts, promptecho.AllowUnused()) // nobody says what would be all
	}
	if s.passing != nil {
		opts = append(opts, promptecho.PassThrough(s.passing...))
	}
	var err error
	if s.rec, err = promptecho.Open(s.cassette, opts...); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "promptecho: "))
	}
	report.Begin(s.rec, true)
	server := serve.New(s)
	env, err := s.env(server)
	status, interrupted := 0, false
	if err == nil {
		status, interrupted, err = s.until(env, server.Close)
	}
	server.Close()
	rep := report.Finish(s.rec, report.Outcome{
		Failed:   err != nil || status != 0,
		Stopped:  interrupted || len(s.command) == 0,
		Filtered: interrupted || !s.asked.Load(), // so that nothing unused is evidence
		Command:  s.again,
	})
	for _, text := range slices.Concat(rep.Notes, rep.Errors) {
		s.say(text)
	}
	switch {
	case err != nil:
		return err
	case status != 0:
		return exitStatus(status)
	case len(rep.Errors) > 0:
		return found("")
	case len(s.command) > 0 && !s.asked.Load() && !interrupted:
		return found("no request came: does the program read one of the variables? promptecho serve without a command prints them; -upstream adds others")
	}
	return nil
}

// env returns the variables for programs.
func (s *serving) env(server *serve.Server) ([]string, error) {
	key, dummies := s.rec.Secret, !s.rec.Online()
	if !dummies {
		key = func(string) string { return "" } // the command has the real ones, and nobody prints them
	}
	env, err := server.Env(os.Getenv, key, dummies)
	if err != nil {
		return nil, err
	}
	for _, text := range s.upstreams {
		name, url, _ := strings.Cut(text, "=")
		address, err := server.URL(url)
		if err != nil {
			return nil, fmt.Errorf("-upstream %s: %w", name, err)
		}
		env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		env = append(env, name+"="+address)
	}
	return env, nil
}

// until runs the command and returns how it ended. Without a command it waits for a signal.
// The first signal stops the server, so that no request counts as one that its client gave
// up.
func (s *serving) until(env []string, stop func()) (status int, interrupted bool, err error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if len(s.command) == 0 {
		var text strings.Builder
		for _, v := range env {
			name, value, _ := strings.Cut(v, "=")
			fmt.Fprintf(&text, "export %s=%s\n", name, shell.Quote(value))
		}
		if _, err := io.WriteString(s.stdout, text.String()); err != nil { // at once, for who reads a file
			return 0, false, err
		}
		s.say(s.cassette + " answers until this is stopped (^C)")
		<-signals
		return 0, false, nil
	}
	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, file(s.stdout), file(s.stderr)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case sig := <-signals:
			stop()
			// A terminal has interrupted the command as well; a second signal kills it.
			if interrupted || sig == syscall.SIGTERM && cmd.Process.Signal(sig) != nil {
				_ = cmd.Process.Kill() // an error says that it has ended
			}
			interrupted = true
		case err := <-ended:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return 0, interrupted, err
			}
			return statusOf(cmd.ProcessState), interrupted, nil
		}
	}
}

// statusOf returns the exit status of a process, as a shell has it.
func statusOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}

// again returns the shell command that does the same in a record mode.
func (s *serving) again(mode string) string {
	words := []string{"promptecho", "serve", "-mode=" + mode}
	if s.cassette != "serve.yaml" {
		words = append(words, "-cassette", s.cassette)
	}
	for _, u := range s.upstreams {
		words = append(words, "-upstream", u)
	}
	if len(s.command) > 0 {
		words = append(append(words, "--"), s.command...)
	}
	return shell.Join(words)
}

// An exitStatus is that of a command which was run and failed.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("the command ended with status %d", int(e)) }
