// Package shell writes commands that can be pasted into a shell.
package shell

import (
	"os"
	"path/filepath"
	"strings"
)

// harmless are the characters that mean nothing to a shell.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=@%+,:"

// Quote quotes s for a POSIX shell where it must be.
func Quote(s string) string {
	if s != "" && strings.Trim(s, harmless) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Join quotes the words of a command and joins them.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// With returns the command of these words with an environment variable set for it, as
// people paste it on a system, which is a GOOS: into PowerShell on Windows, and elsewhere
// into a POSIX shell. The value is a word that needs no quotes.
func With(goos, name, value string, words []string) string {
	if goos != "windows" {
		return name + "=" + value + " " + Join(words)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, harmlessToPowerShell) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", "''") + "'"
		}
	}
	return "$env:" + name + "='" + value + "'; " + strings.Join(quoted, " ") + "; Remove-Item Env:" + name
}

// harmlessToPowerShell are the characters that mean nothing to PowerShell.
const harmlessToPowerShell = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/\._-=:`

// Place returns how a command names a file or folder, given with its absolute path: so, and
// in a CI job relative to the root of the repository. What a CI job prints
// is pasted into another checkout.
func Place(path string) string {
	root := Upward(path, ".git")
	if root == "" || !InCI() {
		return path
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// InCI reports whether this is a CI job: the variable CI is set, and not to 0 or false.
func InCI() bool {
	switch strings.ToLower(os.Getenv("CI")) {
	case "", "0", "false":
		return false
	}
	return true
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
