package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/serveoptions"
	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

const stdioHelp = `stdio [-cassette FILE] [name] -- command [arg ...]
record or replay a program that speaks over stdin and stdout

It takes the place of the command where another program starts it: an MCP
server in the settings of an agent, a coding agent in a script. The first run
starts the command and records the lines that go both ways. Later runs replay
them: the command is not started, and need not be installed.

The recorder is that of the test whose environment the program has (Env of
echotest.Serve), or that of a cassette:

  -cassette FILE  the cassette; PROMPTECHO_MODE has the record mode, which is
                  none if CI is set, and once otherwise

The name is that of the program in the cassette; the default is the name of the
command. The exit status is that of the command; it is 1 also if a line has no
recording.
`

// runStdio takes the place of a program.
func runStdio(args []string, _, stderr io.Writer) error {
	i := slices.Index(args, "--")
	var command []string
	if i >= 0 {
		command = args[i+1:]
		args = args[:i]
	}
	flags := flag.NewFlagSet("stdio", flag.ContinueOnError)
	cassette := flags.String("cassette", "", "")
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(command) == 0:
		return errors.New("the command is missing: it goes after --")
	case len(rest) > 1:
		return fmt.Errorf("unexpected argument %q: the command goes after --", rest[1])
	}
	hello, err := helloFor(command)
	if err != nil {
		return err
	}
	if len(rest) == 1 {
		hello.Name = rest[0]
	}
	err = child.CheckName(hello.Name)
	if err != nil {
		return err
	}
	address := os.Getenv(child.ServeVariable)
	switch {
	case address == child.Live:
		host, err := child.Serve(nil, true)
		if err != nil {
			return err
		}
		address = host.Address()
	case *cassette != "":
		return standInWith(*cassette, hello, stderr)
	case address == "":
		return errors.New("there is no recorder: start the program with the environment of " +
			"echotest.Serve(t, rec).Env(), or name a cassette with -cassette")
	}
	child.StandIn(address, *hello).End()
	return nil
}

// helloFor returns what the stand-in of a command says of itself.
func helloFor(command []string) (*child.Hello, error) {
	name := filepath.Base(command[0])
	if strings.EqualFold(filepath.Ext(name), ".exe") {
		name = name[:len(name)-len(".exe")]
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	// The host may have another PATH. Without the program, it says what is missing.
	found, _ := exec.LookPath(command[0])
	return &child.Hello{
		Name:    name,
		Program: cmp.Or(found, command[0]),
		Args:    command[1:],
		Dir:     dir,
		Env:     os.Environ(),
	}, nil
}

// standInWith takes the place of a program with a recorder on a cassette, and prints its report.
func standInWith(cassette string, hello *child.Hello, stderr io.Writer) error {
	rec, err := recorder.Open(cassette, func(config *recorder.Config) {
		config.Words(serveoptions.Words)
		config.OptionsAtTop(serveoptions.Options)
	})
	if err != nil {
		return recorder.Reason(err)
	}
	host, err := child.Serve(rec, true)
	if err != nil {
		return err
	}
	how := child.StandIn(host.Address(), *hello)
	// The program may have been used for something else than when it was recorded: another run of
	// the same cassette may need what this one did not.
	rep := rec.Finish(report.Outcome{Short: true, Unsure: true})
	for _, text := range slices.Concat(rep.Notes, rep.Errors) {
		complain(stderr, "stdio", text)
	}
	switch {
	case len(rep.Errors) > 0:
		return printedFindings
	case how.Signal != "":
		how.End()
	case how.Status != 0:
		return exitStatus(how.Code())
	}
	return nil
}
