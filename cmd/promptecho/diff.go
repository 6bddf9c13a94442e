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
	full, asJSON, asMarkdown := flags.Bool("full", false, ""), flags.Bool("json", false, ""), flags.Bool("markdown", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(900 << 20) // two cassettes of 100 MB are compared in a gigabyte
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
	list = slices.DeleteFunc(list, func(d *difference) bool { return len(d.Calls)+len(d.Env) == 0 && d.Old != "" && d.New != "" })
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
		err = found("")
	}
	return err
}

// diffTwo compares two files.
func diffTwo(old, fresh string) ([]*difference, error) {
	var files [2]*cassette.File
	for i, path := range []string{old, fresh} { // one after the other: each takes twice its bytes while it is read
		if info, err := os.Stat(path); err == nil && info.IsDir() {
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

// changedAt returns the files at paths, "." if there are none, that may differ from a
// revision, and those that git does not know yet. What is no folder may differ.
func changedAt(ref string, paths []string) (changed, unknown []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			changed = append(changed, path)
			continue
		}
		more, fresh, err := changedSince(ref, path)
		if err != nil {
			return nil, nil, err
		}
		changed, unknown = append(changed, more...), append(unknown, fresh...)
	}
	return changed, unknown, nil
}

// diffRevision compares a file with a revision; nil if it is no cassette, which is an error
// if it was named.
func diffRevision(ref, file string, named bool) (*difference, error) {
	old, errOld := loadRevision(ref, file)
	ours, errNew := looksLikeCassette(file)
	var syntax *cassette.SyntaxError
	switch {
	case !ours && !named && (errNew == nil && errOld != nil || errors.As(errOld, &syntax)):
		return nil, nil
	case errOld != nil && !errors.Is(errOld, errNotInGit):
		return nil, errOld
	case errNew != nil && !errors.Is(errNew, fs.ErrNotExist), errNew != nil && errOld != nil:
		return nil, errNew
	case errNew != nil:
		return compareDeleted(file, ref, old), nil
	}
	fresh, err := load(file)
	switch {
	case err != nil:
		return nil, err
	case errOld != nil:
		return compare("", file, &cassette.File{}, fresh), nil
	}
	return compare(file+" ("+ref+")", file, old, fresh), nil
}
