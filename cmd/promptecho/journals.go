package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/testenv/suite"
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

// A journal is left by a test that did not end.
type journal struct {
	Path         string `json:"path"`
	Interactions int    `json:"interactions"`
	tokens
}

// counts returns "2 interactions; tokens: 20 in, 6 out".
func (j *journal) counts() string {
	return fmt.Sprintf("%s; tokens: %s in, %s out", count(j.Interactions, "interaction"),
		english.Thousands(j.InputTokens), english.Thousands(j.OutputTokens))
}

// readJournal looks at a journal. One that cannot be read has nothing to resume.
func readJournal(file string) journal {
	j := journal{Path: here(file)}
	if f, err := load(file); err == nil {
		j.Interactions = len(f.Interactions)
		j.tokens = tokensOf(f.Interactions)
	}
	return j
}

// journalsIn returns the journals that are left in packages.
func journalsIn(packages []suite.Package) (journals []journal, err error) {
	for _, p := range packages {
		files, err := cassettesOf(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if kindOf(file) == isJournal {
				journals = append(journals, readJournal(file))
			}
		}
	}
	return journals, nil
}
