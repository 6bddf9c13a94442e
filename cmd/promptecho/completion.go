package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

const completionHelp = `completion SHELL
print a script that makes bash, zsh or fish complete promptecho

It completes commands, flags, cassettes, names of tests and packages. Add the
line for your shell to its start-up file:

  bash   source <(promptecho completion bash)      ~/.bashrc
  zsh    source <(promptecho completion zsh)       ~/.zshrc, below compinit
  fish   promptecho completion fish | source       ~/.config/fish/config.fish
`

// The scripts only ask: "promptecho __complete" gets the words before the cursor, and says
// what completes the last one; see printCompletions.
//
//go:embed completion
var completions embed.FS

// The shells that have a script.
var shells = []string{"bash", "zsh", "fish"}

// runCompletion prints the script for a shell.
func runCompletion(args []string, stdout, stderr io.Writer) error {
	rest, err := parse(flag.NewFlagSet("completion", flag.ContinueOnError), args)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return errors.New("for which shell? Name one of " + strings.Join(shells, ", "))
	}
	script, err := completions.ReadFile("completion/" + rest[0])
	if err != nil {
		return fmt.Errorf("there is no completion for %q: name one of %s", rest[0], strings.Join(shells, ", "))
	}
	_, err = stdout.Write(script)
	return err
}
