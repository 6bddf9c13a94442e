package main

import (
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
)

// A verb is a subcommand. Its help fits a screen. The first line of the help is the usage, in which
// words in capitals say how a shell completes an argument; the second line is the summary.
type verb struct {
	name string
	help string
	run  func(args []string, stdout, stderr io.Writer) error
}

// summary returns the second line of the help, which says what a verb does.
func (v verb) summary() string { return strings.SplitN(v.help, "\n", 3)[1] }

// flags returns the flags of a verb.
func (v verb) flags() *flag.FlagSet {
	err := v.run([]string{"-h"}, io.Discard, io.Discard)
	var help *helpError
	if !errors.As(err, &help) {
		return flag.NewFlagSet(v.name, flag.ContinueOnError)
	}
	return help.flags
}

// isBool reports whether a flag needs no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

var inCapitals = regexp.MustCompile(`(-\w+ )?([A-Z]+)`)

// arguments returns the words for the arguments in the usage of a verb: PATH, FLAGS.
func (v verb) arguments() (list []string) {
	usage, _, _ := strings.Cut(v.help, "\n")
	for _, m := range inCapitals.FindAllStringSubmatch(usage, -1) {
		if m[1] == "" {
			list = append(list, m[2])
		}
	}
	return list
}

// valueOf returns the word for the value of a flag in the help of a verb: FILE; "" for none.
func (v verb) valueOf(name string) string {
	if name == "run" || name == "skip" { // of go test
		return "TEST"
	}
	m := regexp.MustCompile(`-` + regexp.QuoteMeta(name) + ` ([A-Z]+)`).FindStringSubmatch(v.help)
	if m == nil {
		return ""
	}
	return m[1]
}

// describe returns the first line about a flag in the help of a verb, "" for flags of go test.
func (v verb) describe(name string) string {
	m := regexp.MustCompile(`(?m)^  -` + regexp.QuoteMeta(name) + `(?: [A-Z]+)? {2,}(.*)$`).FindStringSubmatch(v.help)
	if m == nil {
		return ""
	}
	return m[1]
}
