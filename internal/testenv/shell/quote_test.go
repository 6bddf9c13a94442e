package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/needs"
)

// texts are arguments that shells may misread.
var texts = []string{
	"", "plain", "a b", " a", "a ", "it's", `say "hi"`, "'", `"`, "''", `'"'"'`,
	"$HOME", "$", "a$", "$$", "$(id)", "${HOME}", "$?", "$^", "`id`", "`", "a`b",
	"%", "%PATH%", "%self", "50% of 60%", "^", "a^b", "&", "a&b", "|", "a|b&&c", ";", "a;b",
	"!", "!!", "hi!", "!x", "#", "#x", "a#b", "~", "~/x", "=ls", "=", "a=b", "==x",
	"*", "?", "[a]", "{a,b}", "<", ">", "(a)", ",", "@", "@x", "a,b",
	"é😀", "“q”", "‘q’", "a\nb", "\n", "a\tb",
	"-n", "--", "-echo.mode=all", "-tags=a,b", "-x:y", "--%",
	`\`, `\\`, `\\\`, `a\`, `a\\b`, `\'`, `'\`, `\\'`, `a\'b\\`, `C:\my app`, `C:\my app\`, `C:\a\`,
	`\n`, `a\\\'b`, "two\nlines", "~root", "<a>", `-options={mask: {"req-[0-9]+\\)": "REQ"}}`,
	`^TestX$/^a b$`, `^TestX$/^a\.b$`, `^(TestA|TestB)$`, `^TestX$/^a\\b$`, `^TestX$/^it's$`,
	`^TestX$/^\$5$`, `^TestX$/^a"b$`, `^TestX$/^100%$`, `^TestX$/^a#01$`, `^BenchmarkX$/^n=1$`,
}

// Each shell must hand over what was quoted, as an argument and as the value of
// a variable.
func TestQuotedArgumentsReachTheProgramInEachShell(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for _, text := range texts {
		quoted := quoteForUnix(text)
		script.WriteString("PROMPTECHO_FROM=" + quoted + " show " + quoted + "\n")
	}
	for _, shell := range shells(t) {
		got := shell.run(t, script.String(), "show")
		for i, text := range texts {
			if i >= len(got) {
				t.Errorf("%s has run %d of %d commands", shell.name, len(got), len(texts))
				break
			}
			want := call{"show", text + " ", []string{text}}
			if fmt.Sprintf("%q", got[i]) != fmt.Sprintf("%q", want) {
				t.Errorf("%s reads %s as %q, want %q", shell.name, quoteForUnix(text), got[i], want)
				break // what follows may be a part of the same misreading
			}
		}
	}
}

// PowerShell must hand over what was quoted, and cmd as well unless the text
// cannot be quoted for both.
func TestQuotedArgumentsReachTheProgramOnWindows(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		command := "show " + quoteForWindows(text)
		want := []string{"show", text}

		if got, err := powerShell(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("PowerShell reads %s as %q, %v", command, got, err)
		}
		isForPowerShell := strings.HasPrefix(command, "show '")
		if isForPowerShell {
			continue
		}
		if got, err := cmd(command); err != nil || !slices.Equal(got, want) {
			t.Errorf("cmd reads %s as %q, %v", command, got, err)
		}
	}
}

// The usual commands must work in both shells of Windows.
func TestUsualArgumentsAreQuotedForBothShellsOfWindows(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`^TestX$/^a b$`, `^TestX$/^a\.b$`, `^(TestA|TestB)$`, `^TestX$/^it's$`, `^TestX$/^100%$`,
		"-tags=a,b", "-echo.mode=all", `C:\my app\testdata\cassettes\TestX.yaml`,
	} {
		if quoted := quoteForWindows(text); quoted[0] != '"' {
			t.Errorf("%q is quoted as %s, which cmd misreads", text, quoted)
		}
	}
}

var printedCommand = regexp.MustCompile(`(?m)^\s+((?:PROMPTECHO_\w+=\S+ )*(?:go|git|mv|rm|promptecho) .*)$`)

// isNoCommand matches what looks like a printed command and is none: a line of a
// completion script, and a sentence of a help text.
var isNoCommand = regexp.MustCompile(`^promptecho (__complete|serve without a command)`)

// The commands of the golden reports must mean the same in each shell. Quoted
// for Windows, their words must reach the programs from PowerShell and cmd.
func TestPrintedCommandsRunInEachShell(t *testing.T) {
	t.Parallel()
	commands := goldenCommands(t)
	programs := []string{"go", "git", "mv", "rm", "promptecho"}
	script := strings.Join(commands, "\n")

	all := shells(t)
	want := all[0].run(t, script, programs...)
	if len(want) < len(commands) {
		t.Fatalf("%s has run %d of %d commands", all[0].name, len(want), len(commands))
	}
	for _, shell := range all[1:] {
		got := shell.run(t, script, programs...)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s has run:\n%v\n%s has run:\n%v", shell.name, got, all[0].name, want)
		}
	}

	for _, call := range want {
		words := append([]string{call.program}, call.args...)
		command := joinFor("windows", words)
		if got, err := powerShell(command); err != nil || !slices.Equal(got, words) {
			t.Errorf("PowerShell reads %s as %q, %v", command, got, err)
		}
		if got, err := cmd(command); err != nil || !slices.Equal(got, words) {
			t.Errorf("cmd reads %s as %q, %v", command, got, err)
		}
	}
	t.Logf("%d commands in %d shells", len(commands), len(all))
}

// goldenCommands returns the commands of the golden files, each once.
func goldenCommands(t *testing.T) []string {
	var commands []string
	for _, pattern := range []string{
		"../../../tests/reports/testdata/*",
		"../../../cmd/promptecho/testdata/pictures/*",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range printedCommand.FindAllStringSubmatch(string(text), -1) {
				if !isNoCommand.MatchString(m[1]) {
					commands = append(commands, strings.TrimSpace(m[1]))
				}
			}
		}
	}
	slices.Sort(commands)
	return slices.Compact(commands)
}

// A posixShell is a shell of this machine.
type posixShell struct {
	name    string
	args    []string
	prelude string // what stands before the commands
}

// A call is a program that a shell has started.
type call struct {
	program string
	env     string // variables of promptecho
	args    []string
}

// shells returns the shells that this machine has; sh is always among them.
func shells(t *testing.T) (found []posixShell) {
	t.Helper()
	needs.POSIX(t, "the shells sh, bash, zsh and fish")
	for _, s := range []posixShell{
		{name: "sh"},
		{name: "dash"},
		// The expansion of ! happens where commands are typed.
		{name: "bash", prelude: "set -o history -o histexpand\n"},
		{name: "zsh", args: []string{"-f"}},
		{name: "fish", args: []string{"--no-config"}},
	} {
		if _, err := exec.LookPath(s.name); err == nil {
			found = append(found, s)
		}
	}
	if len(found) == 0 || found[0].name != "sh" {
		t.Fatal("no sh to check the quoting with")
	}
	return found
}

// run hands a script to the shell, as if it had been pasted, and returns the
// calls of programs, which are stubs that note their arguments.
func (s posixShell) run(t *testing.T, script string, programs ...string) (calls []call) {
	t.Helper()
	const stub = `#!/bin/sh
{
	printf '%s\0' "${0##*/}" "$PROMPTECHO_FROM $PROMPTECHO_MODE" $#
	for arg in "$@"; do printf '%s\0' "$arg"; done
} >>"$CALLS"
`
	dir := t.TempDir()
	for _, program := range programs {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "calls")
	command := exec.Command(s.name, s.args...)
	command.Dir = dir
	command.Stdin = strings.NewReader(s.prelude + script + "\n")
	command.Env = append(os.Environ(), "HOME="+dir, "CALLS="+log, "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", s.name, err, out)
	}

	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	for len(fields) >= 3 {
		n := 0
		fmt.Sscan(fields[2], &n)
		calls = append(calls, call{fields[0], fields[1], fields[3 : 3+n]})
		fields = fields[3+n:]
	}
	return calls
}
