// Package shell writes commands that can be pasted into a shell.
package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The characters that shells take as they are.
const (
	posixPlain      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=@%+,:"
	powerShellPlain = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/\._-=:`
)

// Quote quotes a word for a POSIX shell, if it needs quotes.
func Quote(s string) string { return join([]string{s}, posixPlain, `'\''`) }

// Join returns a command of these words for a POSIX shell.
func Join(words []string) string { return join(words, posixPlain, `'\''`) }

// join joins words to a command. It quotes a word that has other characters than the plain
// ones. quote replaces a quote in such a word.
func join(words []string, plain, quote string) string {
	quoted := slices.Clone(words)
	for i, w := range words {
		isPlain := w != "" && strings.Trim(w, plain) == ""
		if !isPlain {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", quote) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// With returns a command with environment variables, each as "NAME=value". The command is
// for PowerShell if goos is windows, and for a POSIX shell otherwise.
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
		return set + join(words, powerShellPlain, "''") + unset
	}
	return set + Join(words)
}

// Place returns the path of a file or folder for a command that is printed. It is the
// absolute path, but in a CI job it is relative to the root of the repository: a command
// from a CI job is pasted in another checkout.
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

// Upward returns dir, or the nearest folder above it, that has a file or folder with this
// name. It returns "" if there is none.
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
