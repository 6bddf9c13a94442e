package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/suite"
)

// cassettesOf returns the cassettes in the testdata of a package, with what recordings have
// left there.
func cassettesOf(p suite.Package) ([]string, error) {
	data := filepath.Join(p.Dir, "testdata")
	if _, err := os.Stat(data); err != nil {
		return nil, nil
	}
	return cassettesIn(data)
}

// sumsOf returns the sums of all files that [cassettesOf] returns for these packages. (The time
// of a file changes also in runs that must not be cached.)
func sumsOf(packages []suite.Package) (map[string]string, error) {
	sums := map[string]string{}
	for _, p := range packages {
		files, err := cassettesOf(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			sums[file] = cassette.SumOf(file)
		}
	}
	return sums, nil
}

// addFiles finds the journals that are left in the packages, and the files that were written
// since they had these sums. Recorders of no test write, too, and nothing else tells of it.
func (s *summary) addFiles(before map[string]string) error {
	after, err := sumsOf(s.packages)
	for _, file := range slices.Sorted(maps.Keys(after)) {
		switch {
		case kindOf(file) == isJournal:
			s.journals = append(s.journals, readJournal(file))
		case before[file] != after[file]:
			s.written = append(s.written, file)
		}
	}
	return err
}
