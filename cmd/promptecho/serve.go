package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/control"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/serveoptions"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

const serveHelp = `serve [-cassette FILE] [-mode MODE] [FLAGS] [-- command ...]
record and replay a program, or a suite, in any language

It runs the command with variables that point SDKs to the cassette
(OPENAI_BASE_URL and others). Without a command it prints them for a shell
and serves until it is stopped (^C). In a mode that sends nothing upstream the
keys are dummies, and requests that bypass the cassette are stopped.

  -cassette FILE      the cassette; the default is serve.yaml
  -cassettes DIR      one per test, if the suite loads its plugin from clients/
                      of the promptecho repository; others go to DIR/suite.yaml
  -mode MODE          the record mode; the default is PROMPTECHO_MODE, then none
                      if CI is set, then once
  -options OPTIONS    options of the recorder, as YAML: '{mask_times: true}'
  -require-all        fail if a recording was not used, or drop it (update, all)
  -upstream UPSTREAM  VARIABLE=URL adds an upstream, and sets the variable to
                      the address to use in place of the URL
  -proxy              also be a proxy, for programs that read no base URL
  -listen ADDRESS     one address for everything: 127.0.0.1:8090, 0.0.0.0:8090
  -host HOST          the name by which containers reach -listen

The exit status is that of the command; it is 1 also if a request has no
recording, a test failed on its cassette, or no request came. If the command
fails or is interrupted (^C), a new cassette is marked partial.
`

// runServe serves upstreams from a cassette while a command runs, or until it is stopped.
func runServe(args []string, stdout, stderr io.Writer) error {
	s := &serving{verb: "serve", stdout: stdout, stderr: stderr}
	if i := slices.Index(args, "--"); i >= 0 {
		s.command = args[i+1:]
		args = args[:i]
		if len(s.command) == 0 {
			return errors.New("there is no command after --")
		}
	}
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&s.Cassette, "cassette", "", "")
	flags.StringVar(&s.Dir, "cassettes", "", "")
	flags.StringVar(&s.Mode, "mode", "", "")
	flags.BoolVar(&s.Proxy, "proxy", false, "")
	flags.StringVar(&s.Listen, "listen", "", "")
	flags.Func("host", "", func(host string) error {
		isName := !strings.ContainsAny(host, " /:@") || net.ParseIP(host) != nil
		if host == "" || !isName {
			return errors.New("it is not the name of a host, such as host.docker.internal")
		}
		s.Host = host
		return nil
	})
	flags.BoolVar(&s.RequireAll, "require-all", false, "")
	s.addFlags(flags)
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: the command to run goes after --", rest[0])
	case s.Host != "" && s.Listen == "":
		return errors.New("-host is the name of the address that -listen sets: add -listen 0.0.0.0:8090")
	}
	s.flags = s.Config
	s.Secret = os.Getenv("PROMPTECHO_SECRET")
	switch {
	case s.Cassette != "":
	case s.Dir != "":
		if info, err := os.Stat(s.Dir); err == nil && !info.IsDir() {
			return fmt.Errorf("-cassettes: %s is a file; give a folder", s.Dir)
		}
		s.Cassette = filepath.Join(s.Dir, "suite.yaml")
	default:
		s.Cassette = "serve.yaml"
	}
	return s.run()
}

// A serving is one run of promptecho serve, record or replay.
type serving struct {
	control.Config
	verb           string
	flags          control.Config // as the flags set it, without defaults
	command        []string       // empty if there is none
	stdout, stderr io.Writer
}

func (s *serving) say(text string) { complain(s.stderr, s.verb, text) }

// addFlags adds the flags with options of the recorder and with upstreams.
func (s *serving) addFlags(flags *flag.FlagSet) {
	flags.Func("options", "", func(line string) error {
		_, err := serveoptions.Options(line)
		s.Options = append(s.Options, line)
		return err
	})
	flags.Func("upstream", "", func(text string) error {
		name, url, _ := strings.Cut(text, "=")
		if name == "" || url == "" {
			return errors.New("it is not VARIABLE=URL, such as MISTRAL_URL=https://api.mistral.ai/v1")
		}
		s.Upstreams = append(s.Upstreams, text)
		return nil
	})
}

// run serves until the command has ended, and prints the report. The error is nil only if
// the command and all tests passed.
func (s *serving) run() error {
	hasCommand := len(s.command) > 0
	s.Standalone = !hasCommand
	s.Command = s.shellCommand // for what reports advise
	c, err := control.Open(s.Config)
	if errors.As(err, new(*recorder.PartialError)) {
		return fmt.Errorf("%w\n  %s", err, s.shellCommand("new_episodes", nil))
	}
	if err != nil {
		return err
	}
	if address := c.Reached(); address != "" {
		s.say("other machines reach this one at " + address + ", with the secret")
	}
	var status int
	var interrupted bool
	if hasCommand {
		status, interrupted, err = s.runCommand(c.Env, c.Stop)
	} else {
		err = s.waitForSignal(c.Env)
	}
	rep := c.Close(control.Ending{Failed: err != nil || status != 0, Interrupted: interrupted})
	for _, text := range slices.Concat(rep.Notes, rep.Errors) {
		s.say(text)
	}

	lacksRequest := hasCommand && !interrupted && !c.GotRequest()
	switch {
	case err != nil:
		return err
	case status != 0:
		if lacksRequest && s.OfProgram {
			s.say(s.whyNoRequest()) // it may have failed because it did not reach its server
		}
		return exitStatus(status)
	case len(rep.Errors) > 0:
		return printedFindings
	case lacksRequest:
		return found(s.whyNoRequest())
	}
	return nil
}

// whyNoRequest explains that the command has sent nothing.
func (s *serving) whyNoRequest() string {
	if s.Proxy {
		return "no request came: the program reads neither HTTPS_PROXY nor a variable with a base URL, or it " +
			"sends nothing; " + variablesPage + " says what else programs read"
	}
	return "no request came: does the program read one of the variables? promptecho serve " +
		"without a command prints them; -upstream adds others, and -proxy reaches programs that read none"
}

// variablesPage has a table of programs and of the variables that they read.
const variablesPage = "https://github.com/promptecho/promptecho/blob/main/docs/SDKS.md"

// waitForSignal prints the variables for a shell, and returns when the process is told to
// stop.
func (s *serving) waitForSignal(env []string) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	var text strings.Builder
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&text, "export %s=%s\n", name, shell.Quote(value))
	}
	// One write, so that a script that reads the output from a file sees all variables or none.
	_, err := io.WriteString(s.stdout, text.String())
	if err != nil {
		return err
	}
	s.say(s.Cassette + " answers until this is stopped (^C)")
	<-signals
	return nil
}

// runCommand runs the command and returns how it ended. The first signal stops the server
// before the command, so that no request counts as canceled by its client.
func (s *serving) runCommand(env []string, stop func()) (status int, interrupted bool, err error) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)

	cmd := exec.Command(s.command[0], s.command[1:]...)
	cmd.Stdin = os.Stdin
	cmd.Stdout = file(s.stdout)
	cmd.Stderr = file(s.stderr)
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
			// A terminal sends ^C to the command as well; SIGTERM must be passed on. A
			// second signal kills the command.
			kill := interrupted
			if !kill && sig == syscall.SIGTERM {
				kill = cmd.Process.Signal(sig) != nil
			}
			if kill {
				_ = cmd.Process.Kill() // an error says that the command has ended
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

// statusOf returns the exit status of a process as shells report it: 128 and the number of
// the signal that killed it, otherwise its own.
func statusOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}

// shellCommand returns the shell command that does the same in a record mode, with the
// command of a test in place of that of the suite if test is not nil.
func (s *serving) shellCommand(mode string, test []string) string {
	words := append([]string{"promptecho"}, s.verbFor(mode)...)
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, name, v)
			}
		}
	}
	add("-cassette", s.flags.Cassette)
	add("-cassettes", s.flags.Dir)
	add("-options", s.Options...)
	add("-upstream", s.Upstreams...)
	if s.flags.Proxy {
		words = append(words, "-proxy")
	}
	add("-listen", s.flags.Listen)
	add("-host", s.flags.Host)
	command := s.command
	switch {
	case test != nil:
		command = test
	case s.flags.RequireAll:
		words = append(words, "-require-all")
	}
	if len(command) > 0 {
		words = append(append(words, "--"), command...)
	}
	return shell.Join(words)
}

// verbFor returns the verb that runs in a record mode, with its flag.
func (s *serving) verbFor(mode string) []string {
	switch {
	case !s.OfProgram:
		return []string{"serve", "-mode=" + mode}
	case mode == "none":
		return []string{"replay"}
	case mode == "all":
		return []string{"record", "-all"}
	case mode == "update":
		return []string{"record", "-update"}
	}
	return []string{"record"}
}

// An exitStatus is the status of a command that has failed.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("the command ended with status %d", int(e)) }
