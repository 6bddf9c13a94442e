package main

import (
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
)

// A verb is one subcommand. Its help fits a screen. The first line of it is the usage, where
// words in capitals say how they are completed (see completed); the second says what it does.
type verb struct {
	name string
	help string
	run  func(args []string, stdout, stderr io.Writer) error
}

// summary says in a line what a verb does.
func (v verb) summary() string { return strings.SplitN(v.help, "\n", 3)[1] }

// flags returns the flags that a verb reads.
func (v verb) flags() *flag.FlagSet {
	var asked *flagsAsked
	if err := v.run([]string{"-h"}, io.Discard, io.Discard); errors.As(err, &asked) {
		return asked.flags
	}
	return flag.NewFlagSet(v.name, flag.ContinueOnError)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

var inCapitals = regexp.MustCompile(`(-\w+ )?([A-Z]+)`)

// arguments returns what the arguments of a verb are, as its usage calls them: PATH, FLAGS.
func (v verb) arguments() (list []string) {
	usage, _, _ := strings.Cut(v.help, "\n")
	for _, m := range inCapitals.FindAllStringSubmatch(usage, -1) {
		if m[1] == "" {
			list = append(list, m[2])
		}
	}
	return list
}

// valueOf returns what the value of a flag is, as the help calls it.
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

// describe returns what the help says of a flag, "" for those of go test.
func (v verb) describe(name string) string {
	m := regexp.MustCompile(`(?m)^  -` + regexp.QuoteMeta(name) + `(?: [A-Z]+)? {2,}(.*)$`).FindStringSubmatch(v.help)
	if m == nil {
		return ""
	}
	return m[1]
}
