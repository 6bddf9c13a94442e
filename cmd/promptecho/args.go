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
	flags.VisitAll(func(f *flag.Flag) {
		if v, ok := f.Value.(flag.Getter); ok { // others take each value that they are given
			f.Value = &once{Getter: v}
		}
	})
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

// A once is the value of a flag that can be given once.
type once struct {
	flag.Getter
	given bool
}

func (o *once) Set(s string) error {
	if o.given {
		return errors.New("it is set twice")
	}
	o.given = true
	return o.Getter.Set(s)
}

// IsBoolFlag reports whether the flag needs no value.
func (o *once) IsBoolFlag() bool {
	b, ok := o.Getter.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// printJSON prints a value for programs.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
