package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/setup"
	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

const initHelp = `init [-w] [DIR ...]
set up git, tests and CI for cassettes; show it first

It prints what a repository lacks, and writes nothing without -w:

  .gitignore      what killed and failed runs leave next to cassettes
  .gitattributes  git leaves line ends of cassettes alone; reviews fold them
  main_test.go    TestMain with echotest.Main, for each package that uses
                  echotest and has no TestMain
  a workflow      go test and promptecho verify, if there is no other workflow
                  and the repository is on GitHub

Lines are added at the end; a line that another one makes superfluous is left
out. Files that exist otherwise, and other CI, are not touched: it prints what
to write there. DIR is where to look for packages; the default is ".". The files
for git and CI are those of the whole repository.

  -w   write the files
`

// runInit prints what is left to set up, and writes it with -w.
func runInit(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	write := flags.Bool("w", false, "")
	dirs, err := parse(flags, args)
	if err != nil {
		return err
	}
	s, err := surveyOf(dirs)
	if err != nil {
		return err
	}
	plan, err := planFor(s)
	if err != nil {
		return err
	}
	if len(s.packages) == 0 {
		plan.Advice = append(plan.Advice, adviseImport(s)...)
	}
	if *write {
		if err := writePlan(stdout, plan); err != nil {
			return err
		}
	}
	return printPlan(stdout, plan, *write, dirs)
}

// adviseImport says how the cassettes of other tools are converted, if there are some.
func adviseImport(s *survey) []setup.Advice {
	var dirs, found []string
	for _, place := range s.places {
		dirs = append(dirs, shown(place.Dir))
	}
	files, err := importable(dirs)
	if err != nil {
		return nil // nothing is known about them
	}
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err == nil && cassette.Foreign(string(text)) != "" {
			found = append(found, f.path)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []setup.Advice{{
		Text: fmt.Sprintf("%s %s of another tool. To convert %s:", count(len(found), "file"),
			agreeing(len(found), "is a cassette", "are cassettes"), itOrThem(len(found))),
		Lines: []string{"promptecho import " + shell.Quote(filepath.ToSlash(commonFolder(found)))},
	}}
}

// printPlan prints what is left to set up: the lines of files, unless they are written, and what is
// left to the user.
func printPlan(stdout io.Writer, plan *setup.Plan, isWritten bool, dirs []string) error {
	p := newPrinter(stdout, true)
	if !isWritten {
		p.added(plan.Files)
	}
	p.advice(plan.Advice)
	switch {
	case len(plan.Files) == 0 && len(plan.Advice) == 0:
		p.line(0, green, "Nothing is left to set up.")
	case len(plan.Files) == 0:
		p.line(0, bold, "Nothing is left to write.")
	case isWritten:
		p.reviewCommands(plan.Files)
	default:
		p.line(0, bold, "Nothing is written yet. To write %s:", count(len(plan.Files), "file"))
		p.command(shell.Join(append([]string{"promptecho", "init", "-w"}, dirs...)))
	}
	return p.err
}

// reviewCommands prints the commands that show what was written, new files too.
func (p *printer) reviewCommands(files []setup.File) {
	var paths []string
	for _, f := range files {
		paths = append(paths, shown(f.Path))
	}
	slices.Sort(paths)
	p.line(0, bold, "To review what was written:")
	p.command(shell.Join(append([]string{"git", "add", "-N", "--"}, paths...)))
	p.command(shell.Join(append([]string{"git", "diff", "--"}, paths...)))
}

// added prints the lines that files get.
func (p *printer) added(files []setup.File) {
	for _, f := range files {
		title := shown(f.Path)
		if f.IsNew {
			title += " (new)"
		}
		p.line(0, bold, "%s", title)
		for _, line := range f.Added {
			p.write(p.paint(green, "+"+line) + "\n")
		}
		p.write("\n")
	}
}

// advice prints what the user is to do.
func (p *printer) advice(list []setup.Advice) {
	for _, a := range list {
		p.line(0, "", "%s", a.Text)
		for _, line := range a.Lines {
			if line == "" {
				p.write("\n")
				continue
			}
			p.command(line)
		}
		p.write("\n")
	}
}

// writePlan writes files, and prints their names. It writes none if one of them is read-only.
func writePlan(stdout io.Writer, plan *setup.Plan) error {
	for _, f := range plan.Files {
		info, err := os.Stat(f.Path)
		if err == nil && info.Mode()&0o200 == 0 {
			return fmt.Errorf("%s is read-only, so nothing was written: to allow it, run chmod u+w %s",
				shown(f.Path), shell.Quote(shown(f.Path)))
		}
	}
	for _, f := range plan.Files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
			return err
		}
		err := atomicfile.Write(f.Path, atomicfile.Options{NoReplace: f.IsNew}, atomicfile.Pieces(f.Content))
		if err != nil {
			return err
		}
		what := count(len(f.Added), "line") + " added"
		if f.IsNew {
			what = "written"
		}
		printLine(stdout, "%s: %s", shown(f.Path), what)
	}
	if len(plan.Files) > 0 {
		fmt.Fprintln(stdout)
	}
	return nil
}
