// Package shell writes commands that can be pasted into a shell.
package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Characters that mean nothing to a shell.
const (
	harmless             = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=@%+,:"
	harmlessToPowerShell = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/\._-=:`
)

// Quote quotes s for a POSIX shell where it must be.
func Quote(s string) string { return join([]string{s}, harmless, `'\''`) }

// Join quotes the words of a command and joins them.
func Join(words []string) string { return join(words, harmless, `'\''`) }

// join quotes the words that are not harmless, and joins all. A quote in a word becomes what is given
// for it.
func join(words []string, harmless, quote string) string {
	quoted := slices.Clone(words)
	for i, w := range words {
		if w == "" || strings.Trim(w, harmless) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", quote) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// With returns the command of these words with environment variables set for it, each
// given as "NAME=value", as people paste it on a system, which is a GOOS: into PowerShell on
// Windows, and elsewhere into a POSIX shell.
func With(goos string, words []string, variables ...string) string {
	var set, unset string
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if goos == "windows" {
			set += "$env:" + name + "='" + strings.ReplaceAll(value, "'", "''") + "'; "
			unset += "; Remove-Item Env:" + name
		} else {
			set += name + "=" + Quote(value) + " "
		}
	}
	if goos == "windows" {
		return set + join(words, harmlessToPowerShell, "''") + unset
	}
	return set + Join(words)
}

// Place returns how a command names a file or folder, given with its absolute path: so, and
// in a CI job relative to the root of the repository. What a CI job prints
// is pasted into another checkout.
func Place(path string) string {
	root := Upward(path, ".git")
	if root == "" || !InCI() {
		return path
	}
	rel, _ := filepath.Rel(root, path) // it is below the root
	return filepath.ToSlash(rel)
}

// InCI reports whether this is a CI job: the variable CI is set, and not to 0 or false.
func InCI() bool {
	return !slices.Contains([]string{"", "0", "false"}, strings.ToLower(os.Getenv("CI")))
}

// Upward returns the nearest folder above dir, or dir itself, that holds a file of this
// name; "" if there is none.
func Upward(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
