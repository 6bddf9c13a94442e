package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// place returns an argument of the go command that names a package: ./bot if it is below the
// current folder, and otherwise its import path.
func place(p suite.Package) string {
	rel := here(p.Dir)
	if !filepath.IsLocal(rel) {
		return p.Path
	}
	return pattern(rel)
}

// pattern returns an argument of the go command for a folder with a relative path.
func pattern(path string) string {
	if path == "." || !filepath.IsLocal(path) {
		return filepath.ToSlash(path)
	}
	return "./" + filepath.ToSlash(path)
}

// here returns a path relative to the current folder, if it is below that.
func here(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// addNew appends the texts that a list does not have.
func addNew(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
