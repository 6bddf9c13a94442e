package shell

import (
	"strings"
	"unicode"
)

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// quoteForUnix quotes s for bash, dash, zsh and fish.
//
// In single quotes, these shells read every character except the quote as it is.
// Only fish also reads \\ and \' as escapes
// (https://fishshell.com/docs/current/language.html#quotes). So a quote, and a
// backslash that would begin such an escape, are written outside of the quotes and
// after a backslash: each of the four shells reads \' as a quote, and \\ as a
// backslash.
func quoteForUnix(s string) string {
	if isPlainForUnix(s) {
		return s
	}
	var quoted strings.Builder
	quoted.WriteByte('\'')
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted.WriteString(`'\''`)
		case s[i] == '\\' && escapesInFish(s[i+1:]):
			quoted.WriteString(`'\\'`)
		default:
			quoted.WriteByte(s[i])
		}
	}
	quoted.WriteByte('\'')
	return quoted.String()
}

// isPlainForUnix reports whether s needs no quotes. A word that begins with =
// is a command's path in zsh (=ls), and one that begins with % is a process in
// fish (%self).
func isPlainForUnix(s string) bool {
	const plain = alphanumeric + "/._-=@%+,:"
	isEmpty := s == ""
	isExpanded := strings.HasPrefix(s, "=") || strings.HasPrefix(s, "%")
	return !isEmpty && !isExpanded && strings.Trim(s, plain) == ""
}

// escapesInFish reports whether fish reads a backslash in single quotes as the
// start of an escape if rest follows the backslash. After the end of the text
// comes the closing quote, so rest may be empty.
func escapesInFish(rest string) bool {
	return rest == "" || rest[0] == '\\' || rest[0] == '\''
}

// quoteForWindows quotes s so that both PowerShell and cmd read it, if there is
// such a way, else for PowerShell.
func quoteForWindows(s string) string {
	switch {
	case isPlainForWindows(s):
		return s
	case isLiteralInDoubleQuotes(s):
		return `"` + s + `"`
	}
	return quoteForPowerShell(s)
}

// isPlainForWindows reports whether s needs no quotes in PowerShell and cmd.
// PowerShell splits a word that begins with a dash at a dot
// (https://github.com/PowerShell/PowerShell/issues/6291), and may split it at a
// colon.
func isPlainForWindows(s string) bool {
	const plain = alphanumeric + `/\._-=:`
	isEmpty := s == ""
	isSplit := strings.HasPrefix(s, "-") && strings.ContainsAny(s, ".:")
	return !isEmpty && !isSplit && strings.Trim(s, plain) == ""
}

// isLiteralInDoubleQuotes reports whether both PowerShell and cmd, and the
// program that they start, read s in double quotes as it is.
//
//	character            what is read instead
//	"  and “ ” „         the end of the text (PowerShell: about_Quoting_Rules)
//	`                    an escape (PowerShell: about_Special_Characters)
//	$ before a name      a variable (PowerShell: about_Variables)
//	%                    a variable, if there is another % (cmd: set /?)
//	\ at the end         an escaped quote (CommandLineToArgvW)
//	control characters   the end of the command (cmd)
func isLiteralInDoubleQuotes(s string) bool {
	switch {
	case s == "", strings.HasSuffix(s, `\`):
		return false
	case strings.ContainsAny(s, "\"“”„`"), strings.ContainsFunc(s, unicode.IsControl):
		return false
	case strings.Count(s, "%") > 1:
		return false
	}
	_, rest, found := strings.Cut(s, "$")
	for found {
		if beginsVariable(rest) {
			return false
		}
		_, rest, found = strings.Cut(rest, "$")
	}
	return true
}

// beginsVariable reports whether PowerShell reads a $ before this text as the
// beginning of a variable or an expression: $name, $_, ${name}, $(code), $$, $?
// and $^.
func beginsVariable(text string) bool {
	for _, r := range text {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_{($?^:", r)
	}
	return false
}

// quoteForPowerShell quotes s as a literal string of PowerShell, where each
// kind of single quote must be doubled (about_Quoting_Rules).
//
// A double quote reaches the program from PowerShell 7.3 on. Older versions
// drop it, and no way to write it is right for all versions
// (https://learn.microsoft.com/powershell/scripting/learn/experimental-features#psnativecommandargumentpassing).
func quoteForPowerShell(s string) string {
	const singleQuotes = "'‘’‚‛"
	var quoted strings.Builder
	quoted.WriteByte('\'')
	for _, r := range s {
		if strings.ContainsRune(singleQuotes, r) {
			quoted.WriteRune(r)
		}
		quoted.WriteRune(r)
	}
	quoted.WriteByte('\'')
	return quoted.String()
}
