package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// place names a package as the go command takes it here: ./bot instead of its import path,
// if it is below the current folder.
func place(p suite.Package) string {
	if rel := here(p.Dir); filepath.IsLocal(rel) {
		return pattern(rel)
	}
	return p.Path
}

// pattern returns a relative path as the go command takes it for a folder.
func pattern(path string) string {
	if path == "." || !filepath.IsLocal(path) {
		return filepath.ToSlash(path)
	}
	return "./" + filepath.ToSlash(path)
}

// here returns a path as it is called in the current folder, if it is below that.
func here(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// addNew adds those texts to a list that it does not have.
func addNew(list []string, more ...string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
