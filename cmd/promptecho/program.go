package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const replayHelp = `replay [-cassette FILE] [FLAGS] -- command ...
run a program with what "promptecho record -- command" has recorded

Both run the command behind a proxy, with variables that lead it there and that
make it trust the proxy. So the program needs no change, in any language. record
sends what has no recording, and writes it. replay sends nothing: a request that
has no recording fails the run.

  -cassette FILE      the cassette; the default is recording.yaml
  -options OPTIONS    options of the recorder, as YAML: '{mask_times: true}'
  -upstream UPSTREAM  VARIABLE=URL adds an upstream, and sets the variable to
                      the address to use in place of the URL

record also takes -update, which drops recordings that are not used, and -all,
which records everything again. The exit status is that of the command; it is 1
also if a request has no recording, or if no request came.
`

// programIn returns the command of "promptecho record -- command". It is nil if the words behind "--"
// are flags of go test, which begin with a dash.
func programIn(args []string) (flags, command []string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	isProgram := i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
	if !isProgram {
		return args, nil
	}
	return args[:i], args[i+1:]
}

// errUpdateAndAll is the error for flags that exclude each other.
var errUpdateAndAll = errors.New("-update records what is missing, -all records everything: use one of them")

// errNoProgram is the error for arguments that record a program, without a program.
var errNoProgram = errors.New("the program to record goes after --: " +
	"promptecho record -cassette FILE -- PROGRAM")

// lacksProgram reports whether arguments that have no program are meant for one: nothing follows
// "--", or a flag is one that only programs have.
func lacksProgram(args []string) bool {
	end := slices.Index(args, "--")
	if end == len(args)-1 && end >= 0 {
		return true
	}
	if end >= 0 {
		args = args[:end] // what follows is for go test
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		name, isFlag := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
		return isFlag && slices.Contains([]string{"cassette", "options", "upstream"}, name)
	})
}

// isProgram reports whether the first argument is the name of a program, and not of a folder.
func isProgram(args []string) bool {
	if len(args) == 0 {
		return false
	}
	_, err := exec.LookPath(args[0])
	isFound := err == nil
	_, err = os.Stat(args[0])
	isFile := err == nil // a folder, or a program by its path, which go list names
	return isFound && !isFile
}

// runReplay replays a program.
func runReplay(args []string, stdout, stderr io.Writer) error {
	args, command := programIn(args)
	return runProgram("replay", args, command, stdout, stderr)
}

// runProgram records or replays a command, as the verb says.
func runProgram(verb string, args, command []string, stdout, stderr io.Writer) error {
	s := &serving{verb: verb, command: command, stdout: stdout, stderr: stderr}
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	flags.StringVar(&s.Cassette, "cassette", "", "")
	s.addFlags(flags)
	var update, all bool
	if verb == "record" {
		flags.BoolVar(&update, "update", false, "")
		flags.BoolVar(&all, "all", false, "")
	}
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: the program to run goes after --", rest[0])
	case len(command) == 0:
		return errors.New("which program? promptecho replay -- PROGRAM; " +
			"tests in Go replay by themselves (go test ./...)")
	case update && all:
		return errUpdateAndAll
	}
	s.flags = s.Config
	s.ModeFrom = "promptecho " + verb
	s.OfProgram = true
	s.Proxy = true
	if s.Cassette == "" {
		s.Cassette = "recording.yaml"
	}
	switch {
	case verb == "replay":
		s.Mode = "none"
	case all:
		s.ModeFrom = "-all"
		s.Mode = "all"
		s.RequireAll = true
	case update:
		s.ModeFrom = "-update"
		s.Mode = "update"
		s.RequireAll = true
	default:
		s.Mode = "new_episodes"
	}
	return s.run()
}
