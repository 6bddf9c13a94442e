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

// A Finding is one cause for which tests differ from run to run, or from their cassettes.
type Finding struct {
	Code    finding.Code `json:"code"`
	Reason  string       `json:"reason"`
	Callers []string     `json:"callers,omitempty"` // the lines of code that send the requests
	Edits   []attr.Edit  `json:"edits,omitempty"`   // what differs, in one of the runs
	Detail  string       `json:"detail"`            // the report of one of the runs
	Remedy  string       `json:"remedy"`            // options to paste, or a change of code
	Tests   []Tested     `json:"tests"`
	Where   []string     `json:"where,omitempty"` // the conditions under which alone it was seen; nil if there are none
	Note    bool         `json:"note,omitempty"`  // all runs with it passed

	values      map[string][]string // of all runs, by the paths of edits; the recorded one first
	hints       []finding.Code
	options     []advice.Option
	byCondition map[string]int // the number of runs with it under a condition, such as "in parallel"
}

// Tested is a test in which a cause was seen.
type Tested struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	Failed  int    `json:"failed"` // runs with this cause
	Runs    int    `json:"runs"`
}

// A testKey has the package and the name of a test.
type testKey struct{ pkg, name string }

func (t *Tested) key() testKey { return testKey{t.Package, t.Test} }

// hasSameRemedy reports whether two findings of different tests have the same remedy for the same
// reason: the same options, or a change of code in the same line.
func (f *Finding) hasSameRemedy(other *Finding) bool {
	if f.Remedy != other.Remedy || f.Reason != other.Reason {
		return false
	}
	isOption := strings.HasPrefix(f.Remedy, "promptecho.")
	isSameLine := len(f.Callers) > 0 && len(other.Callers) > 0 && f.Callers[0] == other.Callers[0]
	return isOption || isSameLine && slices.Equal(f.Edits, other.Edits)
}

// merge adds a finding of another test that has the same remedy.
func (f *Finding) merge(other *Finding) {
	f.Tests = append(f.Tests, other.Tests...)
	f.Note = f.Note && other.Note
	for _, caller := range other.Callers {
		f.Callers = addNew(f.Callers, caller)
	}
	for condition, n := range other.byCondition {
		f.byCondition[condition] += n
	}
}

// remedies are for causes for which no option was found, by the code of the cause.
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

// hintRemedies are for causes whose reports have a hint. They replace those of the code.
var hintRemedies = map[finding.Code]string{
	finding.WordsReordered: "the program ranges over a map, or takes results in the order of " +
		"arrival: sort them before they go into the request",
	finding.ParallelOrder: "do not let the request depend on which call is done first: keep " +
		"results by index, not in the order of arrival; or play the recorded times with promptecho.Pace(1)",
	finding.RecordedParallel: "the program did not send a request that it had sent in parallel with " +
		"another: promptecho.AllowRaced() accepts that; or have the test wait for it",
}

// ownReasons are the reasons of causes that only the output of a test shows.
var ownReasons = map[finding.Code]string{
	finding.DataRace:      "the program has a data race",
	finding.ProgramPanics: "the program panics",
	finding.TestFails:     "the test fails, though its requests fit the cassette",
}

// remedy returns what makes the test replay. hasAmbiguousRequests says that its test has recordings
// of one request, sent in parallel, with different answers.
func (f *Finding) remedy(hasAmbiguousRequests bool) string {
	remedyOfCode := remedies[f.Code]
	if n := len(f.hints); n > 0 {
		remedyOfCode = hintRemedies[f.hints[n-1]]
	}
	isInAllRuns := f.Tests[0].Failed == f.Tests[0].Runs
	switch {
	case hasAmbiguousRequests && !f.Note && !f.hasOnlyKnownTexts():
		return "the program sends the same request several times in parallel, and gets different " +
			"answers: name each with promptecho.WithName(ctx, name), and record again"
	case len(f.options) > 0:
		return f.withChangeOfCode(f.options)
	case f.sendsSameRequest() && isInAllRuns:
		return "every run sends this request, and none sends the recorded one: the program has " +
			"changed since, or depends on a state that was " +
			"different then. Record again: promptecho record -update"
	case remedyOfCode != "":
		return remedyOfCode
	case f.sendsSameRequest():
		return "only some runs send this, and it is not recorded: time or chance decides (a retry, a " +
			"poll, a timeout). Make the program always send it, or let it decide by a value from " +
			"the cassette (rec.Now, rec.Rand, rec.Env)"
	case f.values["body"] != nil:
		return "the program sends different bytes each time, and they are not JSON: make it send " +
			"the same (with a multipart body, take Content-Type from " +
			"multipart.Writer.FormDataContentType), or ignore them with promptecho.Ignore(\"body\")"
	case len(f.values) > 0:
		return f.withChangeOfCode(f.derivedOptions())
	}
	return "what the test does with the answers differs from run to run: look for time, chance, " +
		"goroutines and package variables in the code it calls"
}

// withChangeOfCode returns a remedy with options and, if the values come from a clock or a random
// source, the change of code that makes the options needless.
func (f *Finding) withChangeOfCode(options []advice.Option) string {
	code := advice.InGo.Code(options...)
	isOfTime := func(o advice.Option) bool {
		return o.Name == advice.MaskTimes || o.Name == advice.Ignore && f.allValuesMatch(isTime)
	}
	isOfChance := func(o advice.Option) bool {
		if o.Name != advice.Mask || len(o.Args) == 0 {
			return o.Name == advice.MaskUUIDs
		}
		placeholder := o.Args[len(o.Args)-1]
		return placeholder == "HEX" || placeholder == "ULID"
	}
	switch {
	case slices.ContainsFunc(options, isOfTime):
		return code + "; or have the program take its time from rec.Now()"
	case slices.ContainsFunc(options, isOfChance):
		return code + "; or have the program make its random ids with rec.Rand(\"ids\")"
	}
	return code
}

// withOption appends an option to a list, unless the list has it.
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

// allValuesMatch reports whether all values of a finding match an expression.
func (f *Finding) allValuesMatch(re *regexp.Regexp) bool {
	for _, values := range f.values {
		for _, v := range values {
			if !re.MatchString(v) {
				return false
			}
		}
	}
	return true
}

// sendsSameRequest reports whether several runs had the cause, and all of them sent the same request.
func (f *Finding) sendsSameRequest() bool {
	for _, values := range f.values {
		if len(values) > 2 { // the recorded value, and more than one other
			return false
		}
	}
	return f.Tests[0].Failed > 1 && len(f.values) > 0
}

// derivedOptions returns options with which the values of all runs match the recorded ones. Values
// that differ between runs of the same code are volatile, so the options hide no change of the
// program.
func (f *Finding) derivedOptions() (options []advice.Option) {
	for path, values := range f.values {
		options = withOption(options, derivedOption(path, values))
	}
	slices.SortFunc(options, func(a, b advice.Option) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), slices.Compare(a.Args, b.Args))
	})
	return options
}

// derivedOption returns the option with which the values at a path match:
//
//	they differ only in texts of a known kind    the option for it, such as MaskUUIDs
//	they have words in front of what differs     Mask, from these words on
//	any others, and all headers and parameters   Ignore
func derivedOption(path string, values []string) advice.Option {
	if name := optionFor(values); name != "" {
		return advice.New(advice.Name(name))
	}
	if path == "endpoint" {
		values = withoutMethod(values)
	}
	prefix, suffix := commonEnds(values)
	prefix = lastWords(strings.ToValidUTF8(prefix, ""))
	prefix = endOfWord.ReplaceAllString(prefix, "") // so that a whole word is masked, not its end

	isParameter := strings.HasPrefix(path, "header/") || strings.HasPrefix(path, "query/")
	if prefix == "" || isParameter || slices.ContainsFunc(values, isNoText) {
		return advice.New(advice.Ignore, path)
	}
	var differing []string
	for _, v := range values {
		behindPrefix := v[strings.Index(v, prefix)+len(prefix):]
		differing = append(differing, strings.TrimSuffix(behindPrefix, suffix))
	}
	// A backquote would end the raw string in which the option has the expression.
	prefixExpr := strings.ReplaceAll(regexp.QuoteMeta(prefix), "`", ".")
	expr := prefixExpr + expressionFor(differing)
	return advice.New(advice.Mask, expr, strings.TrimSpace(prefix))
}

// commonEnds returns the longest beginning and the longest end that all values have.
func commonEnds(values []string) (prefix, suffix string) {
	prefix, suffix = values[0], values[0]
	for _, v := range values[1:] {
		for !strings.HasPrefix(v, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		for !strings.HasSuffix(v, suffix) {
			suffix = suffix[1:]
		}
	}
	return prefix, suffix
}

// expressionFor returns a regular expression for the texts that differ: a word, a text without
// spaces, or a line.
func expressionFor(texts []string) string {
	hasSpaces := false
	areWords := true
	for _, text := range texts {
		hasSpaces = hasSpaces || strings.ContainsAny(text, " \t\n")
		areWords = areWords && isWord.MatchString(text)
	}
	switch {
	case hasSpaces:
		return `[^\n]*`
	case areWords:
		return `[\w-]+`
	}
	return `\S+`
}

// hasOnlyKnownTexts reports whether all values differ only in texts of known kinds, such as UUIDs.
func (f *Finding) hasOnlyKnownTexts() bool {
	for _, values := range f.values {
		if optionFor(values) == "" {
			return false
		}
	}
	return len(f.values) > 0
}

var endOfWord = regexp.MustCompile(`[\w-]+$`)

var isWord = regexp.MustCompile(`^[\w-]*$`)

// optionFor returns the name of the option that makes values equal by masking a known kind of text,
// such as MaskUUIDs; "" if there is none.
func optionFor(values []string) string {
	for _, kind := range chance.ChangingTexts {
		masks := kind.Masks()
		first := chance.Masked(masks, values[0])
		differs := func(v string) bool { return chance.Masked(masks, v) != first }
		if kind.Option != "" && !slices.ContainsFunc(values, differs) {
			return kind.Option
		}
	}
	return ""
}

// withoutMethod returns the paths in endpoints such as "GET /v1/items".
func withoutMethod(endpoints []string) (paths []string) {
	for _, e := range endpoints {
		_, path, _ := strings.Cut(e, " ")
		paths = append(paths, path)
	}
	return paths
}

// isNoText reports whether the value of a field is empty, JSON other than a string, or a hash.
func isNoText(value string) bool {
	return value == "" || strings.HasPrefix(value, "sha256:") || json.Valid([]byte(value))
}

// lastWords returns at most 24 bytes from the end of the last line of a text, from the beginning of
// a word.
func lastWords(s string) string {
	const most = 24
	s = s[strings.LastIndexByte(s, '\n')+1:]
	if len(s) > most {
		s = s[len(s)-most:]
		s = s[strings.IndexByte(s, ' ')+1:]
	}
	return s
}

// addNew appends a text to a list, unless it is empty or the list has it.
func addNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
