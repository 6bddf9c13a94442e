package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const noticesFile = "THIRD_PARTY_NOTICES.md"

// commandPackage is the command whose binaries are part of a release.
const commandPackage = "./cmd/promptecho"

const noticesHeader = `# Third-party notices

The binaries of the command promptecho contain these modules and the standard library of Go, under
these licences. Tests that use the library link none of the modules.
` + "`go -C tools run ./release notices`" + ` writes this file.
`

// licenceFile matches the names of files that a module wants to be passed on with it.
var licenceFile = regexp.MustCompile(`(?i)^([\w-]*-)?(licen[cs]e|copying|notice)([-.].*)?$`)

// notices returns the licences of Go and of all modules that the command links on any platform.
func notices(repo repository) (string, error) {
	folders, err := linkedModules(repo)
	if err != nil {
		return "", err
	}
	goroot, err := repo.command(nil, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	folders["Go"] = goroot
	var b strings.Builder
	b.WriteString(noticesHeader)
	for _, name := range sortedKeys(folders) {
		fmt.Fprintf(&b, "\n## %s\n", name)
		files, err := licences(folders[name])
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			text := strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", filepath.Base(file), indent(text))
		}
	}
	return trailingSpace.ReplaceAllString(b.String(), ""), nil
}

var trailingSpace = regexp.MustCompile(`(?m)[ \t]+$`)

// linkedModules returns the folders of the modules that the command links, by path and version.
func linkedModules(repo repository) (map[string]string, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	folders := map[string]string{}
	for _, p := range platforms {
		list, err := repo.command(p.env(), "go", "list", "-buildvcs=false", "-deps", "-f", format, commandPackage)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			name, folder, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if ok {
				folders[name] = folder
			}
		}
	}
	return folders, nil
}

// licences returns the files of a folder that have its licence.
func licences(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() && licenceFile.MatchString(e.Name()) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no licence in %s: the command may not be passed on with it", folder)
	}
	return files, nil
}

// writeNotices writes the file of licences into the work tree.
func (r releaser) writeNotices() error {
	text, err := notices(r.repo)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.repo.dir, noticesFile), []byte(text), 0o644)
}

// sortedKeys returns the keys of a map in alphabetical order.
func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
