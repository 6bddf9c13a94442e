package shell

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// The shells of Windows do not run everywhere, so these are the parts of their
// documented rules that the commands of promptecho can meet. Whatever else a
// command contains is an error.

// powerShell returns the arguments that PowerShell 7.3 and later hand over: one
// literal each, since these versions escape what the program needs
// (PSNativeCommandArgumentPassing).
//
// Rules: about_Parsing (argument mode), about_Quoting_Rules,
// about_Special_Characters.
func powerShell(command string) (args []string, err error) {
	const (
		doubleQuotes = `"“”„`
		singleQuotes = "'‘’‚‛"
		special      = "$`|&;,(){}<>@#"
	)
	runes := []rune(command)
	for i := 0; i < len(runes); {
		if runes[i] == ' ' {
			i++
			continue
		}
		var arg strings.Builder
		switch {
		case strings.ContainsRune(singleQuotes, runes[i]):
			for i++; ; i++ {
				if i >= len(runes) {
					return nil, errors.New("no closing single quote")
				}
				if strings.ContainsRune(singleQuotes, runes[i]) {
					isDoubled := i+1 < len(runes) && strings.ContainsRune(singleQuotes, runes[i+1])
					if !isDoubled {
						break
					}
					i++
				}
				arg.WriteRune(runes[i])
			}
			i++
		case strings.ContainsRune(doubleQuotes, runes[i]):
			for i++; ; i++ {
				if i >= len(runes) {
					return nil, errors.New("no closing double quote")
				}
				if strings.ContainsRune(doubleQuotes, runes[i]) {
					break
				}
				isVariable := runes[i] == '$' && i+1 < len(runes) &&
					(unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1]) || strings.ContainsRune("_{($?^:", runes[i+1]))
				if isVariable || runes[i] == '`' {
					return nil, fmt.Errorf("expands %q", string(runes[i:]))
				}
				arg.WriteRune(runes[i])
			}
			i++
		default:
			for ; i < len(runes) && runes[i] != ' '; i++ {
				if strings.ContainsRune(special+singleQuotes+doubleQuotes, runes[i]) {
					return nil, fmt.Errorf("%q is special", runes[i])
				}
				arg.WriteRune(runes[i])
			}
			word := arg.String()
			if strings.HasPrefix(word, "-") && strings.ContainsAny(word, ".:") {
				return nil, fmt.Errorf("splits %s", word)
			}
		}
		if i < len(runes) && runes[i] != ' ' {
			return nil, fmt.Errorf("a second argument begins at %q", string(runes[i:]))
		}
		args = append(args, arg.String())
	}
	return args, nil
}

// cmd returns the arguments that a program of cmd gets.
//
// Rules: cmd /? (special characters, which quotes protect) and set /?
// (variables, which quotes do not protect).
func cmd(command string) ([]string, error) {
	quoted := false
	for _, r := range command {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '\n':
			return nil, errors.New("the command ends at the end of the line")
		case !quoted && strings.ContainsRune("^&|<>()", r):
			return nil, fmt.Errorf("%q is special", r)
		}
	}
	if strings.Count(command, "%") > 1 {
		return nil, errors.New("expands a variable between two %")
	}
	return commandLineToArgv(command), nil
}

// commandLineToArgv splits a command line as programs of Windows do: in os.Args
// and in main of C.
//
// Rules: CommandLineToArgvW, and "Parsing C command-line arguments" of
// Microsoft's C documentation.
func commandLineToArgv(line string) (args []string) {
	var arg strings.Builder
	begun := false
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			rest := strings.TrimLeft(line[i:], `\`)
			backslashes := len(line) - i - len(rest)
			i += backslashes - 1
			begun = true
			if !strings.HasPrefix(rest, `"`) {
				arg.WriteString(strings.Repeat(`\`, backslashes))
				continue
			}
			arg.WriteString(strings.Repeat(`\`, backslashes/2))
			if backslashes%2 == 1 {
				arg.WriteByte('"')
				i++
			}
		case line[i] == '"' && quoted && strings.HasPrefix(line[i+1:], `"`):
			arg.WriteByte('"')
			i++
		case line[i] == '"':
			quoted = !quoted
			begun = true
		case line[i] == ' ' && !quoted:
			if begun {
				args = append(args, arg.String())
			}
			arg.Reset()
			begun = false
		default:
			arg.WriteByte(line[i])
			begun = true
		}
	}
	if begun {
		args = append(args, arg.String())
	}
	return args
}

// The examples are those of Microsoft's documentation.
func TestCommandLineToArgv(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`"abc" d e`:      {"abc", "d", "e"},
		`a\\b d"e f"g h`: {`a\\b`, "de fg", "h"},
		`a\\\"b c d`:     {`a\"b`, "c", "d"},
		`a\\\\"b c" d e`: {`a\\b c`, "d", "e"},
	} {
		if got := commandLineToArgv(line); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s is %q, want %q", line, got, want)
		}
	}
}
