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

// Quote quotes a word, if it needs quotes, for sh, bash, zsh and fish.
func Quote(word string) string {
	// zsh replaces a word =NAME by the path of a program, and fish %self by the
	// number of its process.
	isExpanded := strings.HasPrefix(word, "=") || strings.HasPrefix(word, "%")
	isPlain := word != "" && strings.Trim(word, posixPlain) == ""
	if isPlain && !isExpanded {
		return word
	}
	var quoted strings.Builder
	for i := range len(word) {
		next := "'" // the quote at the end
		if i+1 < len(word) {
			next = word[i+1 : i+2]
		}
		switch {
		case word[i] == '\'':
			quoted.WriteString(`'\''`)
		case word[i] == '\\' && (next == `\` || next == "'"):
			// Here fish takes a backslash for the beginning of an escape, even
			// between single quotes.
			quoted.WriteString(`'"\\"'`)
		default:
			quoted.WriteByte(word[i])
		}
	}
	return "'" + quoted.String() + "'"
}

// Join returns a command of these words for sh, bash, zsh and fish.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

// powerShellQuotes doubles what PowerShell takes for the end of a text in single
// quotes: also the typographic quotes (about_Quoting_Rules).
var powerShellQuotes = strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018",
	"\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b")

// quotePowerShell quotes a text for PowerShell.
func quotePowerShell(text string) string { return "'" + powerShellQuotes.Replace(text) + "'" }

// joinPowerShell returns a command of these words for PowerShell.
func joinPowerShell(words []string) string {
	quoted := slices.Clone(words)
	for i, word := range words {
		isPlain := word != "" && strings.Trim(word, powerShellPlain) == ""
		if !isPlain {
			quoted[i] = quotePowerShell(word)
		}
	}
	return strings.Join(quoted, " ")
}

// With returns a command with environment variables, each as "NAME=value". The command is
// for PowerShell if goos is windows, and for sh, bash, zsh and fish otherwise.
func With(goos string, words []string, variables ...string) string {
	var set, unset string
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		if goos == "windows" {
			set += "$env:" + name + "=" + quotePowerShell(value) + "; "
			unset += "; Remove-Item Env:" + name
		} else {
			set += name + "=" + Quote(value) + " "
		}
	}
	if goos == "windows" {
		return set + joinPowerShell(words) + unset
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
