package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

const doctorHelp = `doctor [-json] [DIR|TEST ...]
say what is set up, and which tests would not replay and why

It prints the versions, the record mode that tests would have here, the names of
keys that are set, what promptecho init would add, and the cassettes. Then
comes what would not replay, here or in a fresh clone, with a command for each
cause. It reads files only: it runs no test, sends nothing and writes nothing.

With the name of a test, it says which cassettes the test opens, what they have,
and whether it would replay. The default is all tests below the current folder.

  -json   print one object

The exit status is 1 if something would not replay.
`

// runDoctor prints the state of a project.
func runDoctor(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	var dirs, names []string
	for _, arg := range rest {
		_, err := os.Stat(arg)
		if errors.Is(err, fs.ErrNotExist) && tests.IsTest(arg) {
			names = append(names, arg)
		} else {
			dirs = append(dirs, arg)
		}
	}
	s, err := surveyOf(dirs)
	if err != nil {
		return err
	}
	c, err := examine(s, dirs, names, newProgress(stderr))
	if err != nil {
		return err
	}
	if *asJSON {
		err = printJSON(stdout, c)
	} else {
		err = printCheckup(stdout, c, len(names) > 0)
	}
	if err == nil && len(c.Problems) > 0 {
		err = printedFindings
	}
	return err
}

// printCheckup prints a checkup for people: of all tests, or of those that were asked for.
func printCheckup(w io.Writer, c *checkup, ofTests bool) error {
	p := newPrinter(w, true)
	if ofTests {
		for _, o := range c.Opened {
			p.opened(&o)
		}
		p.labelled("mode", c.modeText())
	} else {
		p.overview(c)
	}
	p.causes(c.Problems, red)
	p.write("\n")
	switch {
	case len(c.Problems) > 0:
		p.line(0, red, "%s would not replay, here or in a fresh clone.", filesOf(c.Problems))
	case ofTests:
		p.line(0, green, "%s would replay.", agreeing(len(c.Opened), "It", "They"))
	case c.Cassettes == 0 && len(c.Libraries) == 0:
		p.line(0, bold, "No module here requires promptecho. To begin:")
		p.command("promptecho init")
	case c.Cassettes == 0:
		p.line(0, bold, "No cassette is here yet. To record:")
		p.command("go test ./...")
	default:
		p.line(0, green, "Every cassette would replay.")
	}
	p.causes(c.Notes, "")
	return p.err
}

// filesOf counts the files of diagnoses. One without a file concerns all.
func filesOf(list []*diagnosis) string {
	var files []string
	for _, a := range list {
		if a.File == "" {
			return "The tests"
		}
		files = addNew(files, a.File)
	}
	return count(len(files), "file")
}

// labelled prints a line with a label in front of it.
func (p *printer) labelled(label, text string) {
	p.line(0, "", "%-10s %s", label, text)
}

// overview prints what is set up, and what there is.
func (p *printer) overview(c *checkup) {
	p.labelled("version", c.versionText())
	p.labelled("mode", c.modeText())
	p.labelled("keys", c.keysText())
	p.labelled("set up", c.setupText())
	if !c.inGit {
		p.labelled("git", "there is no repository")
	}
	if c.Packages > 0 {
		p.labelled("TestMain", fmt.Sprintf("%d of %s %s requests that bypass a recorder",
			c.Guarded, count(c.Packages, "package"), agreeing(c.Packages, "refuses", "refuse")))
	}
	p.labelled("CI", orNone(c.CI, "no job")+" runs promptecho verify")
	text := fmt.Sprintf("%s of %s", count(c.Cassettes, "cassette"), count(c.Tests, "test"))
	if len(c.Calls) > 0 {
		text += ": " + calls(c.Calls) + "; " + size(c.Bytes)
	}
	p.labelled("cassettes", text)
}

// size returns a number of bytes in a unit that suits it.
func size(n int64) string {
	switch {
	case n < 10_000:
		return english.Thousands(n) + " bytes"
	case n < 10_000_000:
		return english.Thousands(n/1000) + " kB"
	}
	return english.Thousands(n/1_000_000) + " MB"
}

func (c *checkup) versionText() string {
	parts := []string{"promptecho " + c.Version}
	for _, l := range c.Libraries {
		text := "go.mod " + l.Version
		switch l.Replaced {
		case "":
		case ".":
			text = "this is the module of promptecho"
		default:
			text += " => " + l.Replaced
		}
		parts = addNew(parts, text)
	}
	if len(c.Libraries) == 0 {
		parts = append(parts, "go.mod does not require it")
	}
	if c.Go != "" {
		parts = append(parts, c.Go)
	}
	return strings.Join(parts, "; ")
}

// modeMeans says what tests do in a record mode.
var modeMeans = map[recorder.Mode]string{
	recorder.ModeNone:        "replays; sends and writes nothing",
	recorder.ModeOnce:        "records what lacks a cassette, replays the rest",
	recorder.ModeNewEpisodes: "replays, and records what has no recording",
	recorder.ModeUpdate:      "replays, records what has no recording, drops what is unused",
	recorder.ModeAll:         "records everything again",
	recorder.ModeCompare:     "replays, and compares with live answers",
	recorder.ModeFork:        "plays the first calls, and records the rest",
	recorder.ModeOtherModel:  "asks another model, and saves nothing",
	recorder.ModeLive:        "sends everything, and uses no cassette",
	recorder.ModeAccepted:    "records accepted requests again",
}

func (c *checkup) modeText() string {
	if c.Mode == "" {
		return "not valid"
	}
	means := modeMeans[c.Mode]
	if means == "" {
		means = "records again what is older than that day" // see recorder.ModeBefore
	}
	return fmt.Sprintf("%s (%s): %s", c.Mode, c.ModeBy, means)
}

// keysText names the keys that are set, and those that tests name and that are not.
func (c *checkup) keysText() string {
	var set, others []string
	for _, k := range c.Keys {
		var about []string
		if k.For != "" {
			about = append(about, k.For)
		}
		if k.Tests > 0 {
			about = append(about, count(k.Tests, "test"))
		}
		text := k.Name
		if len(about) > 0 {
			text += " (" + strings.Join(about, ", ") + ")"
		}
		if k.IsSet {
			set = append(set, text)
		} else {
			others = append(others, text)
		}
	}
	const most = 4
	text := "set: " + orNone(english.List(set, most), "none")
	if len(others) > 0 {
		text += "; not set: " + english.List(others, most)
	}
	return text + "; a replay needs none"
}

func (c *checkup) setupText() string {
	switch {
	case len(c.ToSetUp) > 0:
		return "promptecho init has lines for " + english.List(c.ToSetUp, 4)
	case c.Hints > 0:
		return "promptecho init has " + count(c.Hints, "hint")
	}
	return "promptecho init has nothing to add"
}

// opened prints the cassette of a test.
func (p *printer) opened(o *opened) {
	p.line(0, bold, "%s opens %s", o.Test, filepath.ToSlash(o.Path))
	if !o.Exists {
		p.line(2, "", "which does not exist")
		return
	}
	recordings := 0
	var parts []string
	for _, endpoint := range slices.Sorted(maps.Keys(o.Calls)) {
		recordings += o.Calls[endpoint]
		parts = append(parts, fmt.Sprintf("%d %s", o.Calls[endpoint], endpoint))
	}
	const most = 6
	text := count(recordings, "recording")
	if recordings > 0 {
		text += ": " + english.List(parts, most)
	}
	p.line(2, "", "%s", text)
}

// filesOfCause prints the files of a cause: a few by their names, and of many the numbers in folders.
func (p *printer) filesOfCause(files []string) {
	const mostFiles, mostFolders = 10, 5
	if len(files) <= mostFiles {
		p.files(2, files, nil)
		return
	}
	number := map[string]int{} // by folder
	for _, file := range files {
		folder, _ := inFolder(file)
		number[folder]++
	}
	for i, folder := range slices.Sorted(maps.Keys(number)) {
		if i == mostFolders {
			more := len(number) - i
			p.line(2, "", "and %d more %s", more, english.Plural(more, "folder"))
			return
		}
		p.line(2, "", "%s: %s", folder, count(number[folder], "file"))
	}
}

// maxCauses is how many causes are printed.
const maxCauses = 12

// causes prints diagnoses, each cause once, with the command that mends it.
func (p *printer) causes(list []*diagnosis, colour string) {
	causes := byCause(list)
	for i, c := range causes {
		p.write("\n")
		if i == maxCauses {
			more := len(causes) - i
			p.line(0, "", "and %d more %s: promptecho doctor -json", more, english.Plural(more, "cause"))
			return
		}
		first := c.diagnoses[0]
		if len(c.diagnoses) == 1 {
			p.line(0, colour, "%s", first.String())
		} else {
			p.line(0, colour, "%s: %s", count(len(c.diagnoses), "file"), c.text)
			p.filesOfCause(c.files())
		}
		if first.Command != "" {
			p.command(first.Command)
		}
	}
}
