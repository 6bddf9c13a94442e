// Command promptecho shows and looks after promptecho cassettes.
//
//	promptecho demo [-dir DIR]
//	promptecho verify [-w] [PATH ...]
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
)

// What a user reads: the result goes to standard output, everything else to
// standard error with a "promptecho:" prefix, in lower case and without a full
// stop. The exit status is 0, 1 for a failure and 2 for a wrong call.

// A command is one subcommand.
type command struct {
	name string
	run  func(args []string, stdout, stderr io.Writer) error
}

var commands = []command{
	{"demo", runDemo},
	{"verify", runVerify},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its surroundings as arguments; it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "promptecho: unknown command %q\n\n%s", args[0], usage)
		return 2
	}
	err := commands[i].run(args[1:], stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "promptecho: %v\n", err)
	if _, ok := err.(usageError); ok {
		return 2
	}
	return 1
}
