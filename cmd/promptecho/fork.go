package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A forkPoint is the first call of a conversation that is recorded again.
type forkPoint struct {
	file   string // the cassette, absolute
	first  int    // the number of the call, from 1
	isHere bool   // the cassette itself gets the new recordings
}

// A callPlace is a call as a user names it: by its number in the cassette of the test that -run
// selects, or by a file and a line in it.
type callPlace struct {
	number int    // from 1; 0 with a file and a line
	file   string // "" with a number
	line   int
}

// parseCall reads "3" or "FILE:39".
func parseCall(text string) (callPlace, error) {
	errNoCall := fmt.Errorf("-from %s: want the number of a call, or FILE:LINE, as promptecho "+
		"show prints them", text)
	at := strings.LastIndexByte(text, ':') // -1 for a number alone
	n, err := strconv.Atoi(text[at+1:])
	switch {
	case err != nil, n < 1, at == 0:
		return callPlace{}, errNoCall
	case at < 0:
		return callPlace{number: n}, nil
	}
	return callPlace{file: text[:at], line: n}, nil
}

// findCall returns the call that a user has named. A number is one in the cassette of the test that
// the value of -run selects, in one of some packages.
func findCall(name callPlace, run string, packages []suite.Package) (*forkPoint, error) {
	file := name.file
	if file == "" {
		var err error
		file, err = onlyCassette(run, packages)
		if err != nil {
			return nil, err
		}
	}
	f, err := load(file)
	if err != nil {
		return nil, err
	}
	at := &forkPoint{first: name.number}
	at.file, err = filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if name.file != "" {
		isAfter := func(it *interaction.Interaction) bool { return it.Line > name.line }
		at.first = slices.IndexFunc(f.Interactions, isAfter)
		if at.first < 0 {
			at.first = len(f.Interactions)
		}
	}
	if at.first < 1 || at.first > len(f.Interactions) {
		return nil, fmt.Errorf("-from: %s has %s: promptecho show %s prints them", here(at.file),
			count(len(f.Interactions), "call"), shell.Quote(here(at.file)))
	}
	return at, nil
}

// onlyCassette returns the cassette of the only test that the value of -run selects.
func onlyCassette(run string, packages []suite.Package) (string, error) {
	test := strings.NewReplacer("^", "", "$", "").Replace(run)
	if test == "" || regexp.QuoteMeta(test) != test {
		return "", errors.New("-from with a number needs the test of the conversation: -run TestX")
	}
	var files []string
	for _, p := range packages {
		file := filepath.Join(p.Dir, testname.File(test))
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	switch len(files) {
	case 1:
		return files[0], nil
	case 0:
		return "", fmt.Errorf("-from: there is no cassette of %s: name the call as FILE:LINE, "+
			"as promptecho show prints it", test)
	}
	return "", fmt.Errorf("-from: there is more than one cassette of %s: name the package of the test", test)
}

// variable returns the environment variable that tells the recorders of the fork, as NAME=VALUE.
func (at *forkPoint) variable() string {
	return recorder.ForkVariable + "=" + recorder.ForkValue(at.file, at.first, at.isHere)
}

// print says where the fork is, and how to look at it and to take it over.
func (at *forkPoint) print(w io.Writer) {
	derived := strings.TrimSuffix(at.file, ".yaml") + ".derived.yaml"
	_, err := os.Stat(derived)
	if at.isHere || err != nil {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	fork, err := load(derived)
	if err == nil && fork.Partial {
		p.line(0, bold, "%s has the conversation only as far as the test went, which failed.", here(derived))
		return
	}
	p.line(0, bold, "The conversation from call %d on is in %s. To compare the two:", at.first, here(derived))
	p.command(shell.Join([]string{"promptecho", "diff", here(at.file), here(derived)}))
	p.line(0, "", "To take it over:")
	p.command(moveCassette(here(derived), here(at.file)))
}

// moveCassette returns the command that puts a cassette and its assets in the place of another one.
func moveCassette(from, to string) string {
	command := shell.Move(from, to)
	assets := cassette.Assets(from)
	if _, err := os.Stat(assets); err != nil {
		return command
	}
	old := cassette.Assets(to)
	return shell.Sequence(command, shell.RemoveFolder(old), shell.Move(assets, old))
}
