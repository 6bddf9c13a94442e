package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
)

// found is what a command returns that ran and found what it looks for. The text says what
// the output does not say yet; it may be empty.
type found string

func (f found) Error() string { return string(f) }

// flagsAsked is what parse returns for -h: the flags that there are. run prints the help of a
// verb without it; completion asks.
type flagsAsked struct{ flags *flag.FlagSet }

func (*flagsAsked) Error() string { return flag.ErrHelp.Error() }

// parse reads flags, which may stand before and behind the other arguments, and returns
// those.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	for {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, &flagsAsked{flags}
		} else if err != nil {
			return nil, err
		}
		done := len(args) - flags.NArg()
		if flags.NArg() == 0 || done > 0 && args[done-1] == "--" {
			return append(rest, flags.Args()...), nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// printJSON prints a value for programs.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
