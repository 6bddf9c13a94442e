package prove

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// A Finding is one cause for which tests do not replay, or not always.
type Finding struct {
	Code    finding.Code `json:"code"`
	Reason  string       `json:"reason"`
	Callers []string     `json:"callers,omitempty"` // which lines ask
	Edits   []attr.Edit  `json:"edits,omitempty"`   // what differs, in one of the runs
	Detail  string       `json:"detail"`            // the report of one of the runs
	Remedy  string       `json:"remedy"`            // what ends it: options to paste, or a change of code
	Tests   []Tested     `json:"tests"`
	Where   []string     `json:"where,omitempty"` // under which conditions only it was seen, if not under all
	Note    bool         `json:"note,omitempty"`  // all runs with it passed

	values  map[string][]string // at the paths of edits; the recorded one first
	hints   []finding.Code
	options []advice.Option
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
	f.Note = f.Note && other.Note
	for _, caller := range other.Callers {
		f.Callers = addNew(f.Callers, caller)
	}
	for how, n := range other.how {
		f.how[how] += n
	}
}

// remedies say what ends a cause for which no option was found.
var remedies = map[finding.Code]string{
	finding.AnswerDelayed: "the program does not send its requests in the recorded order. Record " +
		"again; if it depends on time, promptecho.Pace(1) plays the recorded times",
	finding.ValueLacking: "record the test again: it was recorded before it used that value",
	finding.NoRequest: "the program keeps an answer from an earlier run of the test, in a " +
		"cache or a package variable: create that in each test",
	finding.RecordingTaken: "another request, which is not recorded, got the answer of this one, " +
		"because the two differ only in a field that matching ignores: compare that field " +
		"(promptecho.Match), or send the recorded value in it",
	finding.RecordingConflict: "the program sends the two requests in another order: compare a field " +
		"in which they differ (promptecho.Match), or name them with promptecho.WithName",
	finding.AskedMoreOften: "the program polls for a certain time, or retries by chance: limit it " +
		"by a count instead, or let the last recording repeat with promptecho.AllowRepeats",
	finding.NotRecorded: "the program sends this only in some runs, and did not when it was " +
		"recorded: have the test wait for it, then record again with promptecho record -update",
	finding.RecordingUnused: "the program did not send this in these runs: wait for background " +
		"work before the test ends, and keep no cache from test to test; promptecho.AllowUnused accepts it",
	finding.CassetteAbsent:   recordTheTest,
	finding.CassetteLeftOver: recordTheTest,
	finding.DataRace:         "fix the race: go test -race shows both sides",
	finding.ProgramPanics:    "fix the panic: its stack is in the report",
}

const recordTheTest = "record the test: promptecho record"

// hintRemedies say what ends a cause of which a report knows more than its code.
// They come before the remedies.
var hintRemedies = map[finding.Code]string{
	finding.WordsReordered: "the program ranges over a map, or takes results in the order of " +
		"arrival: sort them before they go into the request",
	finding.ParallelOrder: "do not let the request depend on which call is done first: keep " +
		"results by index, not in the order of arrival; or play the recorded times with promptecho.Pace(1)",
	finding.RecordedParallel: "the program did not send a request that it had sent in parallel with " +
		"another: promptecho.AllowRaced() accepts that; or have the test wait for it",
}

// ownReasons are what the output of a test says, in words.
var ownReasons = map[finding.Code]string{
	finding.DataRace:      "the program has a data race",
	finding.ProgramPanics: "the program panics",
	finding.TestFails:     "the test fails, though its requests fit the cassette",
}

// remedy says what ends the cause; sameAsked says that its test has recordings of one request, sent
// in parallel, with different answers.
func (f *Finding) remedy(sameAsked bool) string {
	mend := remedies[f.Code]
	for _, hint := range f.hints {
		mend = hintRemedies[hint]
	}
	switch {
	case sameAsked && !f.Note && !f.isExplained():
		return "the program sends the same request several times in parallel, and gets different " +
			"answers: name each with promptecho.WithName(ctx, name), and record again"
	case len(f.options) > 0:
		return f.remedyBy(f.options)
	case f.isFixed() && f.Tests[0].Failed == f.Tests[0].Runs:
		return "every run sends this request, and none sends the recorded one: the program has " +
			"changed since, or depends on a state that was " +
			"different then. Record again: promptecho record -update"
	case mend != "":
		return mend
	case f.isFixed():
		return "only some runs send this, and it is not recorded: time or chance decides (a retry, a " +
			"poll, a timeout). Make the program always send it, or let it decide by a value from " +
			"the cassette (rec.Now, rec.Rand, rec.Env)"
	case f.values["body"] != nil:
		return `the program sends different bytes each time, and they are not JSON: make it send the same (with a multipart body, take Content-Type from multipart.Writer.FormDataContentType), or ignore them with promptecho.Ignore("body")`
	case len(f.values) > 0:
		return f.remedyBy(f.derived())
	}
	return "what the test does with the answers differs from run to run: look for time, chance, " +
		"goroutines and package variables in the code it calls"
}

// remedyBy returns options as a remedy, with the change of code that needs none.
func (f *Finding) remedyBy(options []advice.Option) string {
	code := advice.InGo.Code(options...)
	isOfTime := func(o advice.Option) bool {
		return o.Name == advice.MaskTimes || o.Name == advice.Ignore && f.all(isTime)
	}
	isOfChance := func(o advice.Option) bool {
		placeholder := o.Args[len(o.Args)-min(1, len(o.Args)):]
		return o.Name == advice.MaskUUIDs ||
			o.Name == advice.Mask && (slices.Contains(placeholder, "HEX") || slices.Contains(placeholder, "ULID"))
	}
	switch {
	case slices.ContainsFunc(options, isOfTime):
		return code + "; or have the program take its time from rec.Now()"
	case slices.ContainsFunc(options, isOfChance):
		return code + "; or have the program make its random ids with rec.Rand(\"ids\")"
	}
	return code
}

// withOption returns a list with an option, if that is not in it.
func withOption(list []advice.Option, option advice.Option) []advice.Option {
	isSame := func(o advice.Option) bool {
		return o.Name == option.Name && slices.Equal(o.Args, option.Args)
	}
	if slices.ContainsFunc(list, isSame) {
		return list
	}
	return append(list, option)
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
func (f *Finding) derived() (options []advice.Option) {
	for path, values := range f.values {
		if known := explaining(values); known != "" {
			options = withOption(options, advice.New(advice.Name(known)))
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
			options = append(options, advice.New(advice.Ignore, path))
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
		expr := strings.ReplaceAll(regexp.QuoteMeta(before), "`", ".") + varying
		options = append(options, advice.New(advice.Mask, expr, strings.TrimSpace(before)))
	}
	slices.SortFunc(options, func(a, b advice.Option) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.Args, b.Args))
	})
	return options
}

// isExplained reports whether all values differ in texts of known kinds alone.
func (f *Finding) isExplained() bool {
	for _, values := range f.values {
		if explaining(values) == "" {
			return false
		}
	}
	return len(f.values) > 0
}

var endOfWord = regexp.MustCompile(`[\w-]+$`)

var isWord = regexp.MustCompile(`^[\w-]*$`)

// explaining returns the name of the option that masks a kind of text in which alone values differ.
func explaining(values []string) string {
	for _, kind := range chance.ChangingTexts {
		masks := kind.Masks()
		same := func(v string) bool { return chance.Masked(masks, v) == chance.Masked(masks, values[0]) }
		if kind.Option != "" && !slices.ContainsFunc(values, func(v string) bool { return !same(v) }) {
			return kind.Option
		}
	}
	return ""
}

// withoutMethod returns the paths of unknown endpoints, without the method.
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
