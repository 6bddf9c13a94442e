package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// rangeOf returns the ends of a range of commits, BASE..HEAD, if the first argument is one. The range
// BASE...HEAD begins at the last common commit of the two.
func rangeOf(args []string) (base, head string, ok bool, err error) {
	if len(args) == 0 {
		return "", "", false, nil
	}
	_, err = os.Lstat(args[0])
	if err == nil {
		return "", "", false, nil // a path, such as ../x
	}
	base, head, ok = strings.Cut(args[0], "..")
	if !ok || base == "" || strings.HasSuffix(base, "/") { // a path, such as x/../y
		return "", "", false, nil
	}
	fromCommon := strings.HasPrefix(head, ".") // there were three dots
	head = strings.TrimPrefix(head, ".")
	if head == "" {
		head = "HEAD"
	}
	if !fromCommon {
		return base, head, true, nil
	}
	for _, end := range []*string{&base, &head} {
		*end, err = commitOf(*end, "")
		if err != nil {
			return "", "", false, err
		}
	}
	out, err := git("", "merge-base", base, head)
	return strings.TrimSpace(string(out)), head, true, err
}

// diffRange compares the cassettes of two revisions.
func diffRange(base, head string, paths []string, stderr io.Writer) (list []*difference, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	args := []string{"diff", "--name-only", "-z", "--relative", "--no-renames", base, head, "--"}
	out, err := git("", append(args, paths...)...)
	if err != nil {
		return nil, err
	}
	p := newProgress(stderr)
	defer p.end()
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i, file := range files {
		p.step(i, len(files))
		if !isYAML(file) {
			continue
		}
		d, err := diffCommits(base, head, file)
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, d)
		}
	}
	return list, nil
}

// diffCommits compares a file in two revisions. It returns nil if the file is a cassette in neither.
func diffCommits(base, head, file string) (*difference, error) {
	old, errOld := loadRevision(base, file)
	fresh, errNew := loadRevision(head, file)
	var syntax *cassette.SyntaxError
	switch {
	case errOld != nil && !errors.Is(errOld, errNotInGit) && !errors.As(errOld, &syntax):
		return nil, errOld
	case errNew != nil && !errors.Is(errNew, errNotInGit):
		if errors.As(errNew, &syntax) && errOld != nil {
			return nil, nil // it is a cassette in neither
		}
		return nil, errNew
	case errOld != nil && errNew != nil:
		return nil, nil
	case errNew != nil:
		return compareDeleted(file, base, old), nil
	case errOld != nil:
		return compare("", file, &cassette.File{}, fresh), nil
	}
	return compare(file+" ("+base+")", file, old, fresh), nil
}
