package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
)

const diffHelp = `diff [-git REF] [-json|-markdown] [REF..REF] [PATH ...]
compare cassettes by meaning: with git, or two with each other

  promptecho diff                    all cassettes below "." with git's HEAD
  promptecho diff -git main~3 PATH   cassettes with another revision
  promptecho diff main...HEAD        what a branch has committed
  promptecho diff OLD NEW            two cassettes, such as NAME.yaml and
                                     NAME.derived.yaml or NAME.yaml.failed

It shows what changed in prompts, tools, answers and usage. Ids, times and
latencies are left out, and so are repetitions in later turns. [-...-] is only
in the old cassette, {+...+} only in the new one. An edit that several cassettes
have in common is shown once, with their names.

  -git REF   compare with this revision; the default is HEAD
  -full      do not cut long texts
  -json      print a list with an object for each cassette that changed
  -markdown  print a comment for a pull request, at most 60,000 bytes

The exit status is 1 if something differs, except with -markdown.
`

// runDiff compares cassettes.
func runDiff(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	ref := flags.String("git", "", "")
	full := flags.Bool("full", false, "")
	asJSON := flags.Bool("json", false, "")
	asMarkdown := flags.Bool("markdown", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(900 << 20) // enough to compare two cassettes of 100 MB
	}
	var list []*difference
	base, head, isRange, err := rangeOf(paths)
	switch {
	case err != nil:
		return err
	case isRange && *ref != "":
		return errors.New("-git REF compares a revision with the " +
			"files on disk; BASE..HEAD compares two revisions: use one of them")
	case isRange:
		list, err = diffRange(base, head, paths[1:], stderr)
	case *ref == "" && len(paths) == 2:
		list, err = diffTwo(paths[0], paths[1])
	default:
		list, err = diffGit(cmp.Or(*ref, "HEAD"), paths, stderr)
	}
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d *difference) bool {
		return d.kind() == cassetteChanged && len(d.Calls)+len(d.Env) == 0
	})
	if *asMarkdown {
		return printMarkdown(stdout, list)
	}
	if *asJSON {
		if list == nil {
			list = []*difference{}
		}
		err = printJSON(stdout, list)
	} else {
		p := newPrinter(stdout, *full)
		p.differences(list)
		err = p.err
	}
	if err == nil && len(list) > 0 {
		err = printedFindings
	}
	return err
}

// diffTwo compares two files.
func diffTwo(old, fresh string) ([]*difference, error) {
	var files [2]*cassette.File
	// One after the other: reading a cassette takes twice its size.
	for i, path := range []string{old, fresh} {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name two "+
				"cassettes, or compare folders with git (-git HEAD)",
				path)
		}
		f, err := load(path)
		if err != nil {
			return nil, err
		}
		files[i] = f
	}
	return []*difference{compare(old, fresh, files[0], files[1])}, nil
}

// diffGit compares cassettes with a revision.
func diffGit(ref string, paths []string, stderr io.Writer) (list []*difference, err error) {
	changed, unknown, err := changedAt(ref, paths)
	if err != nil {
		return nil, err
	}
	files := append(changed, unknown...)
	slices.Sort(files)
	files = slices.Compact(files)
	p := newProgress(stderr)
	defer p.end()
	for i, file := range files {
		p.step(i, len(files))
		d, err := diffRevision(ref, file, slices.Contains(paths, file))
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, d)
		}
	}
	return list, nil
}

// changedAt returns the YAML files at paths that may differ from a revision, and those that git does
// not track. A path that is not a folder counts as changed. The default path is the current folder.
func changedAt(ref string, paths []string) (changed, unknown []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			changed = append(changed, path)
			continue
		}
		changedBelow, unknownBelow, err := changedSince(ref, path, isYAML)
		if err != nil {
			return nil, nil, err
		}
		changed = append(changed, changedBelow...)
		unknown = append(unknown, unknownBelow...)
	}
	return changed, unknown, nil
}

// diffRevision compares a file with a revision. It returns nil if the file is not a cassette, unless
// it is named: then that is an error.
func diffRevision(ref, file string, isNamed bool) (*difference, error) {
	old, errOld := loadRevision(ref, file)
	isNowCassette, errNew := looksLikeCassette(file)
	if !isNamed && !isNowCassette && neverWasCassette(errOld, errNew) {
		return nil, nil
	}
	switch {
	case errOld != nil && !errors.Is(errOld, errNotInGit):
		return nil, errOld
	case errNew != nil && !errors.Is(errNew, fs.ErrNotExist):
		return nil, errNew
	case errNew != nil && errOld != nil: // it is neither there nor in the revision
		return nil, errNew
	case errNew != nil:
		return compareDeleted(file, ref, old), nil
	}
	fresh, err := load(file)
	if err != nil {
		return nil, err
	}
	if errOld != nil {
		return compare("", file, &cassette.File{}, fresh), nil
	}
	return compare(file+" ("+ref+")", file, old, fresh), nil
}

// neverWasCassette reports whether a file that is not a cassette now was not one in the revision
// either. errOld and errNew are the errors of reading the two.
func neverWasCassette(errOld, errNew error) bool {
	var syntax *cassette.SyntaxError
	canBeRead := errNew == nil
	return canBeRead && errOld != nil || errors.As(errOld, &syntax)
}
