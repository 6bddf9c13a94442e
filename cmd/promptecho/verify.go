package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/said"
)

const verifyHelp = `verify [-w] [-json] [PATH ...]
check that cassettes are whole and hold no secret, and name edits

A folder stands for all cassettes below it, and for what recordings left there;
the default is ".". An interaction that was edited since it was recorded is
named, and so is one that promptecho accept has put a newer request into; that
is no fault. Cassettes that are partial, broken or hold what looks like a secret
are faults, and so is what killed or failed recordings left.

  -w      write seals and texts anew, as the next recording would
  -json   print a list with an object for each file

The exit status is 1 if a file is at fault.
`

// A verdict is what verify says of one file.
type verdict struct {
	Path     string   `json:"path"`
	Good     bool     `json:"good"`
	Problems []string `json:"problems"`       // each with its place
	Edited   []int    `json:"edited"`         // the lines of interactions that were edited
	Accepted []int    `json:"accepted"`       // the lines of those that promptecho accept has put newer requests into
	Derived  string   `json:"from,omitempty"` // the cassette that a derived one came of
	Stale    bool     `json:"stale"`          // what is computed for the reader was not up to date
	Written  bool     `json:"written"`
}

// runVerify checks cassettes: that they can be read, hold no credential, and are
// complete. With -w it writes them as promptecho writes them, with what is
// computed for the reader brought up to date.
func runVerify(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	write, asJSON := flags.Bool("w", false, ""), flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	files, err := allCassettes(paths)
	if err != nil {
		return err
	}
	verdicts, bad, p := []*verdict{}, 0, newProgress(stderr)
	for i, file := range files {
		p.step(i, len(files))
		v, err := verify(file, *write)
		if err != nil {
			p.end()
			return err
		}
		verdicts = append(verdicts, v)
		if !v.Good {
			bad++
		}
	}
	p.end()
	snapshots, err := snapshotsOf(paths, testPackages{})
	if err != nil {
		return err
	}
	for _, f := range snapshots {
		if f.problem != "" {
			verdicts, bad = append(verdicts, &verdict{Path: f.path, Problems: []string{f.problem}}), bad+1
		}
	}
	if *asJSON {
		err = printJSON(stdout, verdicts)
	} else {
		printVerdicts(stdout, verdicts, bad, *write)
	}
	if err == nil && bad > 0 {
		err = found(fmt.Sprintf("%d of %d cassettes failed", bad, len(verdicts)))
	}
	return err
}

// printVerdicts prints what is wrong, what was edited and what was written.
func printVerdicts(w io.Writer, verdicts []*verdict, bad int, write bool) {
	stale, accepted := 0, 0
	var acceptedIn []string // files
	for _, v := range verdicts {
		for _, p := range v.Problems {
			fmt.Fprintln(w, redact.OneLine(p))
		}
		for _, line := range v.Edited {
			fmt.Fprintf(w, "%s:%d: edited since it was recorded\n", redact.OneLine(v.Path), line)
		}
		for _, line := range v.Accepted {
			fmt.Fprintf(w, "%s:%d: accepted: its request is newer than its answer\n", redact.OneLine(v.Path), line)
		}
		if len(v.Accepted) > 0 {
			accepted, acceptedIn = accepted+len(v.Accepted), append(acceptedIn, v.Path)
		}
		if v.Derived != "" {
			fmt.Fprintf(w, "%s: came of live parts; compare it by promptecho diff %s %[1]s, then delete it\n", redact.OneLine(v.Path), redact.OneLine(v.Derived))
		}
		if v.Written {
			fmt.Fprintf(w, "%s: written anew\n", redact.OneLine(v.Path))
		}
		if v.Stale {
			stale++
		}
	}
	fmt.Fprintf(w, "%d of %d cassettes are good\n", len(verdicts)-bad, len(verdicts))
	if accepted > 0 {
		fmt.Fprintf(w, "%s accepted. To record them again:\n", count(accepted, "recording"))
		for _, command := range recordAccepted(acceptedIn) {
			fmt.Fprintf(w, "  %s\n", redact.Printable(command))
		}
	}
	if stale > 0 && !write {
		fmt.Fprintf(w, "%d edited by hand, or written by another version: promptecho verify -w writes seals and texts anew; replay needs none of them, but is slower without\n", stale)
	}
}

// sealsOf tells which interactions of a cassette are as they were written, and the lines
// of those that were edited.
func sealsOf(file string) (seals []bool, edited []int) {
	stored, err := cassette.Open(file, canon.Revision, nil)
	if err != nil {
		return nil, nil
	}
	defer stored.Close()
	seals = make([]bool, stored.Len())
	for i := range seals {
		_, _, seals[i] = stored.Hint(i)
	}
	return seals, stored.Edited()
}

// mend puts back the mark at the end of a cassette that a formatter wrote anew without it, and
// reports whether that was all that was wrong. Otherwise the file stays as it is.
func mend(file string) bool {
	text, err := os.ReadFile(file)
	seals := cassette.SealsOf(string(text))
	if err != nil || seals == 0 || os.WriteFile(file, append(slices.Clip(text), cassette.EndMark+"\n"...), 0o666) != nil {
		return false
	}
	if f, err := load(file); err == nil && len(f.Interactions) == seals {
		return true
	}
	_ = os.WriteFile(file, text, 0o666)
	return false
}

// verify checks one cassette, and writes what is computed for the reader anew if write is
// set and nothing else is wrong.
func verify(file string, write bool) (*verdict, error) {
	v := &verdict{Path: file, Problems: []string{}, Edited: []int{}, Accepted: []int{}}
	f, err := load(file)
	if err != nil {
		var syntax *cassette.SyntaxError
		if errors.As(err, &syntax) {
			if write && syntax.Cut && mend(file) {
				return verify(file, write)
			}
			v.Problems = append(v.Problems, err.Error())
			return v, nil
		}
		return nil, err
	}
	switch kindOf(file) {
	case isJournal:
		v.Problems = append(v.Problems, file+": left by a recording that was not saved; run its test again, which goes on from it, or delete it")
	case isFailed:
		v.Problems = append(v.Problems, file+": recorded by a run that failed, and not used; to use it, mv it to the name without .failed and run its test; else delete it")
	case isDerived:
		v.Derived = original(file)
	default:
		if f.Partial {
			v.Problems = append(v.Problems, file+": partial: the run that recorded it did not pass, or ran a part of its test; run the whole test until it does")
		}
	}
	var policy redact.Policy
	for _, name := range slices.Sorted(maps.Keys(f.Given.Env)) {
		if err := policy.CheckVariable(name, f.Given.Env[name]); err != nil {
			v.Problems = append(v.Problems, fmt.Sprintf("%s: env %s: %v; remove it, and revoke it if it was committed", file, name, err))
		}
	}
	sealed, edited := sealsOf(file)
	v.Edited = append(v.Edited, edited...)
	v.check(f, sealed)
	v.Good = len(v.Problems) == 0
	if v.Stale && write && v.Good {
		f.Revision = canon.Revision
		if err := cassette.Save(file, f); err != nil {
			return nil, err
		}
		v.Written = true
	}
	return v, nil
}

// check checks the interactions of a cassette, and computes anew what is computed for the reader;
// sealed says which are as they were written.
func (v *verdict) check(f *cassette.File, sealed []bool) {
	file := v.Path
	var rules canon.Options
	for i, it := range f.Interactions {
		for _, finding := range redact.Findings(it) {
			v.Problems = append(v.Problems, fmt.Sprintf("%s:%d: %s: looks like a secret; replace it by [REDACTED], and revoke it if it was committed", file, it.Line, finding))
		}
		if it.Accepted {
			v.Accepted = append(v.Accepted, it.Line)
		}
		form := rules.Form(&it.Request)
		if it.MatchKey != form.Key() || i >= len(sealed) || !sealed[i] {
			v.Stale = kindOf(file) != isJournal // which has no seals
		}
		it.MatchKey, it.Response.Text = form.Key(), said.Read(form, &it.Response).Transcript
		if it.Kind == "" { // written by hand
			it.Kind, it.Boundary = form.Kind()
		}
	}
}
