package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/promptecho/promptecho/internal/redact"
)

const fakeHelp = `fake [-usage] PATH|TEST ... [N]
print a script for package echofake from a cassette

The script gives the recorded answers without the cassette: text, tool calls,
reasoning, refusals, errors and embeddings, a line for each answer. It is Go
source, to be pasted into a test:

  p := echofake.New(t,
          echofake.ToolCall("get_weather", ` + "`" + `{"city":"Paris"}` + "`" + `),
          echofake.Text("It is sunny."),
  )

A comment says what a script cannot have, such as a session or a picture. IDs
are left out: the fake makes its own. A path is a cassette, a folder, or the
name of a test below the current folder.

  -n N     only the Nth interaction; a number after the path means the same
  -usage   with the numbers of tokens
`

// runFake prints the answers of cassettes as scripts.
func runFake(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("fake", flag.ContinueOnError)
	n := flags.Int("n", 0, "")
	withUsage := flags.Bool("usage", false, "")
	list, err := readShown(flags, args, n, stderr)
	if err != nil {
		return err
	}
	for i, s := range list {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if len(list) > 1 {
			fmt.Fprintf(stdout, "// %s\n", redact.OneLine(s.Path))
		}
		script, err := fakeScript(s, *withUsage)
		if err != nil {
			return fmt.Errorf("%s: the script cannot be read as Go source: %w", s.Path, err)
		}
		if _, err := stdout.Write(script); err != nil {
			return err
		}
	}
	return nil
}
