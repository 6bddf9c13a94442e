package serveoptions

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// NameHeader is the header by which a program gives a request a name.
const NameHeader = "X-Promptecho-Name"

// Words are the words of reports for a suite behind promptecho serve.
var Words = &advice.Words{
	Code: code,
	Line: codeOf,
	Call: codeOf,
	Name: nameOf,
	AliasOf: func(address, name string) string {
		return code(advice.New(advice.Alias, address, name))
	},
	TakeValue: func(...advice.Value) string {
		return "have the test give the program a fixed value"
	},
	NameRequest: "the header " + NameHeader,
	ReplayTime:  "Have the test give the program a fixed time",
	ReplayUser:  "Have the test give the program a fixed user",
	SetVariable: "Set it to the value that it had when the cassette was recorded",
	NameSecret:  "add -options '{redact: [EXPRESSION]}' with an expression that matches it",
	UseBubble:   "let the test set how long it sleeps",
	CompleteTest: "run the whole command until it passes; then commit the cassette " +
		"(-mode=all -require-all also drops the recordings that it does not ask for)",
	RedactIt: "have -options '{redact: [EXPRESSION]}' replace it",
	DropOld:  "to keep nothing old, run with -mode=all -require-all",
}

// ProgramWords are the words of reports for a program behind promptecho record or replay.
var ProgramWords = programWords()

func programWords() *advice.Words {
	words := *Words
	words.CompleteTest = "run promptecho record until the program succeeds; then commit the cassette " +
		"(promptecho record -all also drops the recordings that it does not ask for)"
	words.DropOld = "to keep nothing old, run promptecho record -all"
	return &words
}

// codeOf returns an option as a flag of promptecho serve.
func codeOf(o advice.Option) string { return code(o) }

// code returns options as a flag of promptecho serve.
func code(list ...advice.Option) string {
	if len(list) == 0 {
		return ""
	}
	return "-options " + shell.Quote(line(group.Each(list, settingOf)))
}

// settingOf returns an option as it is written on a line.
func settingOf(o advice.Option) setting {
	s := setting{name: nameOf(o.Name), values: o.Args}
	if len(o.Args) == 0 {
		s.values = []string{"true"}
	}
	if o.Name == advice.OnRecordError { // its argument is a constant: Keep
		s.values = group.Each(o.Args, strings.ToLower)
	}
	return s
}

// nameOf returns the name that an option of Go has in a line: mask_times for
// MaskTimes.
func nameOf(inGo advice.Name) string {
	words := strings.ReplaceAll(string(inGo), "UUID", "Uuid")
	words = capital.ReplaceAllString(words, "_$0")
	return strings.ToLower(strings.TrimPrefix(words, "_"))
}

var capital = regexp.MustCompile(`[A-Z]`)

// line writes settings as a line of options. Those of one option become one.
func line(list []setting) string {
	var names []string
	values := map[string][]string{}
	for _, g := range list {
		if values[g.name] == nil {
			names = append(names, g.name)
		}
		v := quoted(g.values)
		switch {
		case !hasKeys[g.name]:
			values[g.name] = append(values[g.name], v...)
		case g.name == "match_only":
			values[g.name] = append(values[g.name], v[0]+": ["+strings.Join(v[1:], ", ")+"]")
		default:
			values[g.name] = append(values[g.name], strings.Join(v, ": "))
		}
	}
	for i, name := range names {
		all := strings.Join(values[name], ", ")
		isScalar := len(values[name]) <= 1 && (all == "true" || takesOneValue[name])
		switch {
		case hasKeys[name]:
			all = "{" + all + "}"
		case !isScalar:
			all = "[" + all + "]"
		}
		names[i] = name + ": " + all
	}
	return "{" + strings.Join(names, ", ") + "}"
}

var (
	hasKeys       = map[string]bool{"alias": true, "mask": true, "match_only": true}
	takesOneValue = map[string]bool{"pace": true, "on_record_error": true}
)

// plain matches values that need no quotes in YAML.
var plain = regexp.MustCompile(`^(true|[0-9.]+|[A-Za-z][A-Za-z0-9_]*(/[A-Za-z0-9_*-]+)+|[a-z]+[a-z_]*)$`)

// quoted returns values with quotes where YAML needs them.
func quoted(values []string) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = v
		if !plain.MatchString(v) {
			list[i] = strconv.Quote(v)
		}
	}
	return list
}
