package prove

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/attr"
	"github.com/promptecho/promptecho/internal/chance"
)

// A Finding is one cause for which tests do not replay, or not always.
type Finding struct {
	Reason  string      `json:"reason"`
	Callers []string    `json:"callers,omitempty"` // which lines ask
	Edits   []attr.Edit `json:"edits,omitempty"`   // what differs, in one of the runs
	Detail  string      `json:"detail"`            // the report of one of the runs
	Remedy  string      `json:"remedy"`            // what ends it: options to paste, or a change of code
	Tests   []Tested    `json:"tests"`
	Where   []string    `json:"where,omitempty"` // under which conditions only it was seen, if not under all

	values  map[string][]string // at the paths of edits; the recorded one first
	options []string
	how     map[string]int // how many runs of a kind had it
}

// Tested is a test in which a cause was seen.
type Tested struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	Failed  int    `json:"failed"` // runs with this cause
	Runs    int    `json:"runs"`
}

// merge adds a finding of another test that has the same cause.
func (f *Finding) merge(other *Finding) {
	f.Tests = append(f.Tests, other.Tests...)
	for _, caller := range other.Callers {
		f.Callers = addNew(f.Callers, caller)
	}
	for how, n := range other.how {
		f.how[how] += n
	}
}

// remedies say what ends a cause for which no option was found, by what its reason or its
// report says. The first that is there counts.
var remedies = []struct{ says, remedy string }{
	{"waited in vain for", "nothing fails yet: the program does not ask in the order in which it was recorded. Record again; if it depends on time, promptecho.Pace(1) plays the recorded times"},
	{"has the same words in another order", "the program ranges over a map, or takes results as they come: sort them before they go into the request"},
	{"ran side by side", "have the program not depend on which of the two is done first: keep results by index, not as they come; or play the recorded times with promptecho.Pace(1)"},
	{"no value for", "record the test again: it was recorded before it asked for that value"},
	{"no request reached the recorder", "the program keeps its answer from an earlier run of the test, in a cache or in a package variable: make that anew in each test"},
	{"the recording of this very request was played before", "another request, which is not recorded, took the recording: make the two differ in what matches, or mend what that request differs in"},
	{"played for a request that differs in", "the program asks in another order: make the two requests differ in what matches (promptecho.Match), or give them names with promptecho.WithName"},
	{"asked more often than recorded", "the program asks until a time is over, or tries again by chance: have it count and not wait, or let the last recording repeat with promptecho.AllowRepeats"},
	{" is recorded; this is of ", "the program asks this only at times, and did not when it was recorded: have the test wait for it, then record again with promptecho record -update"},
	{"give AllowRaced()", "the program did not ask for what it asked beside something else: promptecho.AllowRaced() accepts that; or have the test wait for it"},
	{"not used", "the program did not ask in these runs: wait for what runs in the background before the test ends, and keep no cache from test to test; promptecho.AllowUnused accepts it"},
	{"The file does not exist", "record the test: promptecho record"},
	{"races on its own data", "mend the race: go test -race shows both sides"},
	{"the program panics", "mend the panic: its stack is in the report"},
}

// remedy says what ends the cause; sameAsked says that its test has recordings of one request
// with different answers.
func (f *Finding) remedy(sameAsked bool) string {
	var mend []string
	for _, row := range remedies {
		if strings.Contains(f.Reason+"\n"+f.Detail, row.says) {
			mend = []string{row.remedy}
			break
		}
	}
	switch {
	case len(f.options) > 0:
		return f.option(strings.Join(f.options, ", "))
	case f.isFixed() && f.Tests[0].Failed == f.Tests[0].Runs:
		return "each run asks this, and none asks what is recorded: it has changed since, or depends on what was there when it was recorded. Record again: promptecho record -update"
	case mend != nil:
		return mend[0]
	case f.isFixed():
		return "in some runs the program asks this, which is not recorded: it depends on time or chance whether it does (a retry, a poll, a time-out). Take that from something that is recorded, or have it always ask"
	case f.values["body"] != nil:
		return `the program writes other bytes each time, which are no JSON: have it write the same (a multipart body says its boundary in its Content-Type), or leave them out with promptecho.Ignore("body")`
	case len(f.values) > 0:
		return f.option(f.derived())
	case sameAsked:
		return "it asks the same several times and gets different answers. If it does so at once, and keeps them by their index, promptecho.WithName(ctx, name) tells these requests apart: record again with that"
	}
	return "what the test does with its answers differs from run to run: look for time, chance, goroutines and package variables in what it calls"
}

// option returns options as a remedy, with the change of code that needs none.
func (f *Finding) option(code string) string {
	switch {
	case strings.Contains(code, "MaskTimes"), strings.Contains(code, "Ignore") && f.all(isTime):
		return code + "; or have the program take its time from rec.Now()"
	case strings.Contains(code, "MaskUUIDs"), strings.Contains(code, "HEX"), strings.Contains(code, "ULID"):
		return code + "; or have the program draw from rec.Rand(\"ids\")"
	}
	return code
}

var isTime = regexp.MustCompile(`\d\d:\d\d|\d{4}-\d\d-\d\d|^1\d{9,18}$`)

// all reports whether all values of a finding match.
func (f *Finding) all(re *regexp.Regexp) bool {
	for _, values := range f.values {
		if slices.ContainsFunc(values, func(v string) bool { return !re.MatchString(v) }) {
			return false
		}
	}
	return true
}

// isFixed reports whether all runs with the cause asked the same, in several runs.
func (f *Finding) isFixed() bool {
	for _, values := range f.values {
		if len(values) > 2 {
			return false
		}
	}
	return f.Tests[0].Failed > 1 && len(f.values) > 0
}

// derived returns the options by which what differed in the runs matches: what differs between
// runs of the same code is volatile by proof. A mask keeps what all values have in common.
func (f *Finding) derived() string {
	var code []string
	for path, values := range f.values {
		if known := explaining(values); known != "" {
			code = addNew(code, known)
			continue
		}
		if path == "endpoint" {
			values = withoutMethod(values)
		}
		before, after := values[0], values[0]
		for _, v := range values[1:] {
			for !strings.HasPrefix(v, before) {
				before = before[:len(before)-1]
			}
			for !strings.HasSuffix(v, after) {
				after = after[1:]
			}
		}
		before = endOfWord.ReplaceAllString(lastWords(strings.ToValidUTF8(before, "")), "") // what differs is a whole word
		if before == "" || strings.HasPrefix(path, "header/") || strings.HasPrefix(path, "query/") || slices.ContainsFunc(values, isNoText) {
			code = append(code, fmt.Sprintf("promptecho.Ignore(%q)", path))
			continue
		}
		varying := `[\w-]+`
		for _, v := range values {
			switch rest := strings.TrimSuffix(v[strings.Index(v, before)+len(before):], after); {
			case strings.ContainsAny(rest, " \t\n"):
				varying = `[^\n]*`
			case varying == `[\w-]+` && !isWord.MatchString(rest):
				varying = `\S+`
			}
		}
		code = append(code, fmt.Sprintf("promptecho.Mask(`%s%s`, %q)", strings.ReplaceAll(regexp.QuoteMeta(before), "`", "."), varying, strings.TrimSpace(before)))
	}
	slices.Sort(code)
	return strings.Join(code, ", ")
}

var endOfWord = regexp.MustCompile(`[\w-]+$`)

var isWord = regexp.MustCompile(`^[\w-]*$`)

// explaining returns the option that masks a kind of text in which alone values differ.
func explaining(values []string) string {
	for _, kind := range chance.ChangingTexts {
		mask := kind.Mask()
		same := func(v string) bool {
			return mask.Regexp.ReplaceAllString(v, mask.Placeholder) == mask.Regexp.ReplaceAllString(values[0], mask.Placeholder)
		}
		if kind.Option != "" && !slices.ContainsFunc(values, func(v string) bool { return !same(v) }) {
			return "promptecho." + kind.Option
		}
	}
	return ""
}

// withoutMethod returns the paths of endpoints that no family knows, without the method.
func withoutMethod(endpoints []string) (paths []string) {
	for _, e := range endpoints {
		_, path, _ := strings.Cut(e, " ")
		paths = append(paths, path)
	}
	return paths
}

// isNoText reports whether the value of a field is none, a number, a list or a hash of it.
func isNoText(value string) bool {
	return value == "" || strings.HasPrefix(value, "sha256:") || json.Valid([]byte(value))
}

// lastWords returns the end of a text, from the beginning of a word, in one line.
func lastWords(s string) string {
	const most = 24
	s = s[strings.LastIndexByte(s, '\n')+1:]
	if len(s) > most {
		s = s[len(s)-most:]
		s = s[strings.IndexByte(s, ' ')+1:]
	}
	return s
}

func addNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
