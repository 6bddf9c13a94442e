package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const changelogFile = "CHANGELOG.md"

// changelogTitle matches the title of the section of a version.
var changelogTitle = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d)$`)

// A section is what CHANGELOG.md says of a version.
type section struct {
	date time.Time
	text string // without its title
}

// changelogSection returns the section of a version. It fails if there is none, or if that has
// no date or no text.
func changelogSection(changelog, version string) (section, error) {
	number := strings.TrimPrefix(version, "v")
	for _, m := range changelogTitle.FindAllStringSubmatchIndex(changelog, -1) {
		if changelog[m[2]:m[3]] != number {
			continue
		}
		date, err := time.Parse(time.DateOnly, changelog[m[4]:m[5]])
		if err != nil {
			return section{}, fmt.Errorf("%q is no date", changelog[m[4]:m[5]])
		}
		text, _, _ := strings.Cut(changelog[m[1]:], "\n## ")
		text = strings.TrimSpace(text)
		if text == "" {
			return section{}, fmt.Errorf("the section of %s is empty", number)
		}
		return section{date: date, text: text}, nil
	}
	return section{}, fmt.Errorf("there is no line \"## %s, YYYY-MM-DD\"", number)
}

// readSection returns what CHANGELOG.md of a repository says of a version.
func readSection(repo repository, version string) (section, error) {
	data, err := os.ReadFile(filepath.Join(repo.dir, changelogFile))
	if err != nil {
		return section{}, err
	}
	return changelogSection(strings.ReplaceAll(string(data), "\r\n", "\n"), version)
}
