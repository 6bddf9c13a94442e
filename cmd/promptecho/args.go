package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
)

// found is the error of a command that ran and found what it looks for, such as a difference: the
// exit status is 1. The text is printed in addition to the output; it may be empty.
type found string

// printedFindings is the error of a command whose output already says what it found.
const printedFindings = found("")

func (f found) Error() string { return string(f) }

// A helpError is the error of parse for -h. It has the flags of a verb, for shell completion.
type helpError struct{ flags *flag.FlagSet }

func (*helpError) Error() string { return flag.ErrHelp.Error() }

// parse reads flags, which may be before and behind the other arguments, and returns the other
// arguments. It refuses a flag that is set twice, unless its value collects several.
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	flags.SetOutput(io.Discard)
	flags.VisitAll(func(f *flag.Flag) {
		// The values of flag.Func, which may be set several times, are not Getters.
		if v, ok := f.Value.(flag.Getter); ok {
			f.Value = &onceValue{Getter: v}
		}
	})
	for {
		err := flags.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, &helpError{flags}
		}
		if err != nil {
			return nil, err
		}
		parsed := args[:len(args)-flags.NArg()]
		endsFlags := len(parsed) > 0 && parsed[len(parsed)-1] == "--"
		if flags.NArg() == 0 || endsFlags {
			return append(rest, flags.Args()...), nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

// A onceValue is the value of a flag that can be set once.
type onceValue struct {
	flag.Getter
	isSet bool
}

func (o *onceValue) Set(s string) error {
	if o.isSet {
		return errors.New("it is set twice")
	}
	o.isSet = true
	return o.Getter.Set(s)
}

// IsBoolFlag tells package flag whether the flag needs no value.
func (o *onceValue) IsBoolFlag() bool {
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
