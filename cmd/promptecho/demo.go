package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/promptecho/promptecho/cmd/internal/demo"
)

const demoHelp = `demo [-dir DIR]
see it work: record a test, replay it, break it, record it again

It writes a small module whose test calls a model, and runs go test in it. A
stand-in for the provider answers, so it needs neither a network nor a key.

  -dir DIR   keep the module in this folder, which must be empty or not exist;
             the default is a temporary folder, which is removed at the end
`

// runDemo shows promptecho at work.
func runDemo(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	dir := flags.String("dir", "", "")
	rest, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	return demo.Run(*dir, stdout)
}
