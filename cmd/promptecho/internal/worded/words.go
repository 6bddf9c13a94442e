package worded

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// words are the names of the options in Go, and outside of it.
var words = func() map[string]string {
	names := map[string]string{}
	for word := range options {
		name := ""
		for part := range strings.SplitSeq(word, "_") {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
		names[strings.Replace(name, "Uuids", "UUIDs", 1)] = word
	}
	return names
}()

// NameHeader is what [promptecho.WithName] is for a program in another language. Nobody is sent it.
const NameHeader = "X-Promptecho-Name"

// quoting matches lines that say what was asked, which is nobody's advice.
var quoting = regexp.MustCompile(`^\s*(recorded|incoming|change|asked):`)

var inGo = regexp.MustCompile(`\b(?:promptecho\.)?([A-Z][A-Za-z]+)\b`)

// onlyInGo has what only a test in Go can do, each with what a program in another language does
// instead.
var onlyInGo = []string{
	advice.TakeValue(advice.Now, advice.Rand), "have the test give the program a fixed value",
	advice.TakeValue(advice.Now), "have the test give the program a fixed value",
	advice.TakeValue(advice.Rand), "have the test give the program a fixed value",
	advice.SetVariable, "Set it to the value that it had when the cassette was recorded",
	advice.NameSecret, "add -options '{redact: [EXPRESSION]}' with an expression that matches it",
	advice.NameSecretOf, "Add -options '{redact: [EXPRESSION]}' with an expression that matches it",
	advice.UseBubble, "let the test set how long it sleeps",
	advice.CompleteTest, "run the whole command until it passes; then commit the cassette (-mode=all -require-all also drops the recordings that it does not ask for)",
	advice.RedactIt, "have -options '{redact: [EXPRESSION]}' replace it",
	advice.DropOld, "to keep nothing old, run with -mode=all -require-all",
}

// aliasOfServer matches what names a server by a variable of Go. A program has its address.
var aliasOfServer = regexp.MustCompile(`promptecho\.Alias\(server\.URL, ("\w+")\), // server: the \*httptest\.Server at (\S+)`)

// Reworded returns a text of a report with the options that it names as promptecho serve takes
// them: "add promptecho.MaskTimes()" becomes "add -options '{mask_times: true}'".
func Reworded(text string) string {
	text = strings.ReplaceAll(text, "promptecho.WithName", "the header "+NameHeader)
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !quoting.MatchString(line) {
			line = aliasOfServer.ReplaceAllString(strings.NewReplacer(onlyInGo...).Replace(line), `promptecho.Alias("$2", $1),`)
			line = reworded(line)
			if strings.HasPrefix(line, "  -options ") { // alone on its line, to be pasted
				line = strings.Replace(line, "',\n", "'\n", 1)
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// reworded is Reworded for a line.
func reworded(text string) string {
	var out strings.Builder
	for {
		at := inGo.FindStringSubmatchIndex(text)
		if at == nil {
			return out.String() + text
		}
		word, known := words[text[at[2]:at[3]]]
		out.WriteString(text[:at[0]])
		code := text[at[2]:]
		switch list, n := calls(code); {
		case n > 0:
			out.WriteString("-options " + shell.Quote(Line(list)))
			text = code[n:]
		case known && strings.Contains(word, "_"): // the others are words of English, too
			out.WriteString(word)
			text = text[at[3]:]
		default:
			out.WriteString(text[at[0]:at[1]])
			text = text[at[1]:]
		}
	}
}

// calls reads calls of options at the beginning of a text, and returns how long they are.
func calls(code string) (list []setting, length int) {
	rest := code
	for {
		open, end := strings.IndexByte(rest, '('), 0
		if open > 0 {
			end = closing(rest[open:])
		}
		if end == 0 || words[rest[:open]] == "" {
			return list, length
		}
		g, ok := call(rest[:open+end])
		if !ok {
			return list, length
		}
		list = append(list, g)
		rest = rest[open+end:]
		length = len(code) - len(rest)
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, ", "), "promptecho.")
	}
}

// closing returns how much of a text its first pair of parentheses takes; 0 if it does not end.
func closing(text string) int {
	const most = 1000 // what others wrote can have as many as it likes
	text = text[:min(len(text), most)]
	for i := range len(text) {
		if text[i] != ')' {
			continue
		}
		if _, err := parser.ParseExpr("f" + text[:i+1]); err == nil {
			return i + 1
		}
	}
	return 0
}

// call reads a call of an option.
func call(code string) (g setting, ok bool) {
	expr, err := parser.ParseExpr(code)
	c, isCall := expr.(*ast.CallExpr)
	if err != nil || !isCall {
		return setting{}, false
	}
	g.name = words[c.Fun.(*ast.Ident).Name]
	for _, arg := range c.Args {
		switch arg := arg.(type) {
		case *ast.BasicLit:
			value := arg.Value
			if arg.Kind == token.STRING {
				if value, err = strconv.Unquote(value); err != nil {
					return setting{}, false
				}
			}
			g.values = append(g.values, value)
		case *ast.Ident: // a policy
			g.values = append(g.values, strings.ToLower(arg.Name))
		default:
			return setting{}, false
		}
	}
	if len(c.Args) == 0 {
		g.values = []string{"true"}
	}
	return g, true
}

// Line writes options on a line.
func Line(list []setting) string {
	var names []string
	values := map[string][]string{}
	keyed := map[string]bool{"alias": true, "mask": true, "match_only": true}
	for _, g := range list {
		if values[g.name] == nil {
			names = append(names, g.name)
		}
		switch v := quoted(g.values); {
		case !keyed[g.name]:
			values[g.name] = append(values[g.name], v...)
		case g.name == "match_only":
			values[g.name] = append(values[g.name], v[0]+": ["+strings.Join(v[1:], ", ")+"]")
		default:
			values[g.name] = append(values[g.name], strings.Join(v, ": "))
		}
	}
	for i, name := range names {
		all := strings.Join(values[name], ", ")
		switch {
		case keyed[name]:
			all = "{" + all + "}"
		case len(values[name]) > 1 || all != "true" && name != "pace" && name != "on_record_error":
			all = "[" + all + "]"
		}
		names[i] = name + ": " + all
	}
	return "{" + strings.Join(names, ", ") + "}"
}

var plain = regexp.MustCompile(`^(true|[0-9.]+|[A-Za-z][A-Za-z0-9_]*(/[A-Za-z0-9_*-]+)+|[a-z]+[a-z_]*)$`)

func quoted(values []string) []string {
	list := make([]string, len(values))
	for i, v := range values {
		if list[i] = v; !plain.MatchString(v) {
			list[i] = strconv.Quote(v)
		}
	}
	return list
}
