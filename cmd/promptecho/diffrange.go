package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
)

// rangeOf returns the two ends of BASE..HEAD, or of BASE...HEAD, which begins where the two
// parted, if that is the first argument.
func rangeOf(args []string) (base, head string, ok bool, err error) {
	if len(args) == 0 {
		return "", "", false, nil
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return "", "", false, nil // a file, or "../x"
	}
	base, head, ok = strings.Cut(args[0], "..")
	if !ok || base == "" || strings.ContainsAny(base, "/\\") && strings.HasSuffix(base, "/") {
		return "", "", false, nil
	}
	parted := strings.HasPrefix(head, ".")
	head = strings.TrimPrefix(head, ".")
	if head == "" {
		head = "HEAD"
	}
	if !parted {
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
	out, err := git("", append([]string{"diff", "--name-only", "-z", "--relative", "--no-renames", base, head, "--"}, paths...)...)
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

// diffCommits compares a file in two revisions; nil if it is a cassette in neither.
func diffCommits(base, head, file string) (*difference, error) {
	old, errOld := loadRevision(base, file)
	fresh, errNew := loadRevision(head, file)
	var syntax *cassette.SyntaxError
	switch {
	case errOld != nil && !errors.Is(errOld, errNotInGit) && !errors.As(errOld, &syntax):
		return nil, errOld
	case errNew != nil && !errors.Is(errNew, errNotInGit):
		if errors.As(errNew, &syntax) && errOld != nil {
			return nil, nil // it never was one
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
