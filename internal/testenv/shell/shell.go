// Package shell writes commands that run when they are pasted into a shell: on
// Windows PowerShell and cmd, elsewhere bash, dash, zsh and fish.
package shell

import (
	"runtime"
	"strings"
)

// Quote returns s as one argument of a command, quoted if necessary.
func Quote(s string) string { return quoteFor(runtime.GOOS, s) }

// Join returns a command with these words, each quoted if necessary.
func Join(words []string) string { return joinFor(runtime.GOOS, words) }

func quoteFor(goos, s string) string {
	if goos == "windows" {
		return quoteForWindows(s)
	}
	return quoteForUnix(s)
}

func joinFor(goos string, words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteFor(goos, word)
	}
	return strings.Join(quoted, " ")
}

// With returns a command that runs with environment variables, each written as
// "NAME=value". The variables do not outlive the command. goos is the system of
// the shell.
//
// PowerShell and cmd have no syntax in common that sets a variable. So on
// Windows, go test gets the flags that mean the same; a variable without a flag
// is set as PowerShell does it, because PowerShell is the default of Windows
// Terminal.
func With(goos string, words []string, variables ...string) string {
	if goos == "windows" {
		return withForWindows(words, variables)
	}
	var assignments string
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		assignments += name + "=" + quoteForUnix(value) + " "
	}
	return assignments + joinFor(goos, words)
}

func withForWindows(words, variables []string) string {
	var set, unset string
	for _, variable := range variables {
		flag := goTestFlag(variable)
		if flag != "" && isGoTest(words) {
			words = append(words[:len(words):len(words)], flag)
			continue
		}
		name, value, _ := strings.Cut(variable, "=")
		set += "$env:" + name + "=" + quoteForPowerShell(value) + "; "
		unset += "; Remove-Item Env:" + name
	}
	return set + joinFor("windows", words) + unset
}

// isGoTest reports whether a command is go test, or go -C FOLDER test.
func isGoTest(words []string) bool {
	if len(words) > 2 && words[0] == "go" && words[1] == "-C" {
		words = words[2:]
	}
	return len(words) > 1 && words[1] == "test"
}

// goTestFlag returns the flag of a test binary that means the same as an
// environment variable; "" if there is none. internal/recorder adds the flags
// to each test that links it.
func goTestFlag(variable string) string {
	name, value, _ := strings.Cut(variable, "=")
	switch {
	case name == "PROMPTECHO_MODE":
		return "-echo.mode=" + value
	case variable == "PROMPTECHO_SNAPSHOTS=update":
		return "-echo.update"
	}
	return ""
}
