package main

import (
	"bytes"
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

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
)

// runVerify checks cassettes: that they can be read, hold no credential, and are
// complete. With -w it writes them as promptecho writes them, with what is
// computed for the reader brought up to date.
func runVerify(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	write := flags.Bool("w", false, "write seals and texts anew")
	if err := flags.Parse(args); err != nil {
		return usageError("verify: " + err.Error())
	}
	paths := flags.Args()
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, path := range paths {
		found, err := cassettesIn(path)
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		files = append(files, found...)
	}
	bad, stale := 0, 0
	for _, file := range files {
		problems, refreshed, err := verify(file, *write)
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		if len(problems) > 0 {
			bad++
		}
		for _, p := range problems {
			fmt.Fprintln(stdout, redact.Printable(p))
		}
		if refreshed {
			stale++
			if *write {
				fmt.Fprintf(stdout, "%s: written anew\n", file)
			}
		}
	}
	fmt.Fprintf(stdout, "%d of %d cassettes are good\n", len(files)-bad, len(files))
	if stale > 0 && !*write {
		fmt.Fprintf(stdout, "%d edited by hand, or written by another version: promptecho verify -w writes seals and texts anew; replay needs none of them, but is slower without\n", stale)
	}
	if bad > 0 {
		return fmt.Errorf("verify: %d of %d cassettes are not good", bad, len(files))
	}
	return nil
}

// cassettesIn returns the cassettes at path: the file itself, or all below a
// folder, with what a killed or failed recording has left.
func cassettesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		name := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".partial"), ".failed")
		if d.IsDir() || filepath.Ext(name) != ".yaml" {
			return nil
		}
		ours, err := isCassette(file)
		if ours {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// isCassette reports whether a YAML file is a cassette of ours, whole or broken,
// by its first lines.
func isCassette(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	head = append([]byte("\n"), head[:n]...)
	return bytes.Contains(head, []byte("\n# promptecho cassette")) ||
		bytes.Contains(head, []byte("\nversion:")) && bytes.Contains(head, []byte("\ninteractions:")), nil
}

// load reads a cassette, or what a recording that was killed has left.
func load(file string) (*cassette.File, error) {
	if filepath.Ext(file) != ".partial" {
		return cassette.Load(file)
	}
	left, _, err := cassette.LoadJournal(file, "")
	return left, err
}

// sealsOf tells which interactions of a cassette are as they were written.
func sealsOf(file string) []bool {
	stored, err := cassette.Open(file, canon.Revision, nil)
	if err != nil {
		return nil
	}
	defer stored.Close()
	seals := make([]bool, stored.Len())
	for i := range seals {
		_, _, seals[i] = stored.Hint(i)
	}
	return seals
}

// verify checks one cassette. refreshed says that what is computed
// was not up to date, and has been written if write is set.
func verify(file string, write bool) (problems []string, refreshed bool, err error) {
	f, err := load(file)
	if err != nil {
		var syntax *cassette.SyntaxError
		if errors.As(err, &syntax) || errors.Is(err, fs.ErrNotExist) {
			return []string{err.Error()}, false, nil
		}
		return nil, false, err
	}
	if f.Partial && filepath.Ext(file) == ".yaml" {
		problems = append(problems, file+": partial: the run that recorded it did not pass whole; run its test until it does")
	}
	if f.Partial && filepath.Ext(file) != ".yaml" {
		problems = append(problems, file+": left by a recording that was killed or failed; run its test again, or delete it")
	}
	var policy redact.Policy
	for _, name := range slices.Sorted(maps.Keys(f.Given.Env)) {
		if err := policy.CheckVariable(name, f.Given.Env[name]); err != nil {
			problems = append(problems, fmt.Sprintf("%s: env %s: %v; remove it, and revoke it if it was committed", file, name, err))
		}
	}
	sealed := sealsOf(file)
	var rules canon.Options
	for i, it := range f.Interactions {
		for _, finding := range redact.Findings(it) {
			problems = append(problems, fmt.Sprintf("%s:%d: %s: looks like a secret; replace it by [REDACTED], and revoke it if it was committed", file, it.Line, finding))
		}
		form := rules.Form(&it.Request)
		if it.MatchKey != form.Key() || i >= len(sealed) || !sealed[i] {
			refreshed = true
		}
		it.MatchKey, it.Response.Text = form.Key(), form.Read(canon.Payloads(&it.Response)).Text
		if it.Kind == "" { // written by hand
			it.Kind, it.Boundary = form.Kind()
		}
	}
	if refreshed && write && len(problems) == 0 {
		f.Revision = canon.Revision
		if err := cassette.Save(file, f); err != nil {
			return problems, false, err
		}
	}
	return problems, refreshed, nil
}
