package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// A diagnosis is what doctor has found. One that is an error keeps a test from being replayed, here or
// in a fresh clone.
type diagnosis struct {
	finding.Finding
	Command string `json:"command,omitempty"` // that mends it
}

// A cause has the diagnoses that one command mends.
type cause struct {
	code      finding.Code
	text      string
	module    string // the folder of go.mod
	diagnoses []*diagnosis
}

// byCause groups diagnoses by code, text and module, in the order of the first of each.
func byCause(list []*diagnosis) (causes []*cause) {
	for _, a := range list {
		module := moduleOf(a.File)
		i := slices.IndexFunc(causes, func(c *cause) bool {
			return c.code == a.Code && c.text == a.Text && c.module == module
		})
		if i < 0 {
			i = len(causes)
			causes = append(causes, &cause{code: a.Code, text: a.Text, module: module})
		}
		causes[i].diagnoses = append(causes[i].diagnoses, a)
	}
	return causes
}

// moduleOf returns the folder of the module that a file is in, "" for none.
func moduleOf(file string) string {
	path, err := filepath.Abs(file)
	if err != nil || file == "" {
		return ""
	}
	return shell.Upward(filepath.Dir(path), "go.mod")
}

// files returns the files of a cause.
func (c *cause) files() (files []string) {
	for _, a := range c.diagnoses {
		if a.File != "" {
			files = append(files, a.File)
		}
	}
	return files
}

// remedies has the commands that mend what is wrong with files, by codes. Other causes have their
// command from the beginning, or their text says what to do.
var remedies = map[finding.Code]func(files []string) string{
	finding.CassetteAbsent:    recordCommand,
	finding.RecordingPartial:  recordCommand,
	finding.JournalLeft:       recordCommand,
	finding.FailedLeft:        func(files []string) string { return withFiles("promptecho show", files[:1]) },
	finding.TestGone:          pruneCommand,
	finding.TestHasSubtests:   pruneCommand,
	finding.TestHasNoSubtests: pruneCommand,
	finding.FileIgnored:       addIgnoredCommand,
	finding.FileNotAdded:      func(files []string) string { return withFiles("git add --", files) },
	finding.PathTooLong:       func([]string) string { return "git config core.longpaths true" },
}

// setCommands sets the commands of diagnoses.
func setCommands(list []*diagnosis) {
	for _, c := range byCause(list) {
		remedy := remedies[c.code]
		for _, a := range c.diagnoses {
			if remedy != nil && a.Command == "" {
				a.Command = remedy(c.files())
			}
		}
	}
}

// maxArguments is how many files a command names. Of more, it names the folders of their packages.
const maxArguments = 4

// addIgnoredCommand returns the command that adds ignored files. It names no folder, which may have
// others.
func addIgnoredCommand(files []string) string {
	if len(files) > maxArguments {
		return "" // the pattern is to be mended
	}
	return withFiles("git add -f --", files)
}

// withFiles returns a command with files as arguments.
func withFiles(command string, files []string) string {
	if len(files) > maxArguments {
		var folders []string
		for _, file := range files {
			folder, _ := inFolder(file)
			folders = addNew(folders, folder)
		}
		files = folders
	}
	for _, file := range files {
		command += " " + shell.Quote(filepath.ToSlash(file))
	}
	return command
}

// pruneCommand returns the command that lists files that no test opens.
func pruneCommand(files []string) string {
	folder := commonFolder(files)
	if filepath.IsLocal(folder) {
		return "promptecho prune"
	}
	return withFiles("promptecho prune", []string{folder})
}

// recordCommand returns the command that records the tests of cassettes, which are in one module.
func recordCommand(files []string) string {
	wd, _ := os.Getwd()
	base := wd // the folder in which the command runs
	if module := moduleOf(files[0]); module != shell.Upward(wd, "go.mod") {
		base = module
	}
	var names, packages []string
	for _, file := range files {
		path, err := filepath.Abs(cassetteOfTest(file))
		if err != nil {
			continue
		}
		name, pkg := testOf(path)
		rel, err := filepath.Rel(base, pkg)
		if name == "" || err != nil {
			continue
		}
		name, _, _ = strings.Cut(name, "/")
		names = addNew(names, regexp.QuoteMeta(name))
		packages = addNew(packages, pattern(rel))
	}
	if len(names) == 0 {
		return ""
	}
	words := []string{"promptecho", "record"}
	switch {
	case len(names) == 1:
		words = append(words, "-run", "^"+names[0]+"$")
	case len(names) <= maxArguments:
		words = append(words, "-run", "^("+strings.Join(names, "|")+")$")
	}
	command := shell.Join(append(words, packages...))
	if base != wd {
		command = shell.In(shell.Place(base), command)
	}
	return command
}
