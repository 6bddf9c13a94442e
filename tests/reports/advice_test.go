package reports_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Each command and option that a report suggests helps. The test of each situation in testdata runs in the record mode
// of the command, after which it must pass, and with the option, with which fewer requests must miss.
func TestAdviceOfReportsHelps(t *testing.T) {
	t.Parallel()
	eachSituation(t, func(t *testing.T, s *situation) {
		want := s.part("want")
		lacksValue := strings.Contains(want, "has no recording")
		for _, command := range slices.Compact(slices.Sorted(slices.Values(suggestedCommand.FindAllString(want, -1)))) {
			mode := promptecho.Mode(suggestedCommand.FindStringSubmatch(command)[1])
			if mode == promptecho.ModeNewEpisodes && lacksValue {
				continue // it is for a value that no request holds; here a request holds it
			}
			s.recordAsSuggested(t, mode)
		}
		for _, m := range suggestedOption.FindAllStringSubmatch(want, -1) {
			s.matchAsSuggested(t, m[1])
		}
		if lacksValue && !suggestedCommand.MatchString(want) && !forbidsRecording.MatchString(want) {
			t.Errorf("the report has neither a command nor the reason why none helps:\n%s", want)
		}
	})
}

var (
	suggestedCommand = regexp.MustCompile(`PROMPTECHO_MODE=(\w+) go test`)
	suggestedOption  = regexp.MustCompile(`if this cannot change the answer, add (.*)`)
	neededOption     = regexp.MustCompile(`(?m)compare it, add$\n  (.*),$`)
	forbidsRecording = regexp.MustCompile(`WebSocket|Frozen forbids`)
)

// recordAsSuggested runs the test of a situation in a record mode, with the option that the report says to add
// before, and then in mode none. Both runs must pass.
func (s *situation) recordAsSuggested(t *testing.T, mode promptecho.Mode) {
	t.Helper()
	want := s.part("want")
	file, opts := s.withoutModes().prepare(t)
	if strings.Contains(want, "is pinned") {
		must.Edit(t, file, "pinned: true\n", "")
	}
	if m := neededOption.FindStringSubmatch(want); m != nil {
		opts = append(opts, optionsOf(t, m[1])...)
	}
	for _, mode := range []promptecho.Mode{mode, promptecho.ModeNone} {
		live := answersOf(cmp.Or(s.part("live"), s.part("answers"), `200 {"ok":true}`))
		opts := append(slices.Clone(opts),
			promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep), promptecho.Upstream(live))
		r := must.Open(t, file, opts...)
		s.runTest(t, r)
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("mode %s, after the report said to record in mode %s:\n%s",
				mode, suggestedCommand.FindAllString(want, -1), strings.Join(rep.Errors, "\n"))
		}
	}
}

// matchAsSuggested runs the test of a situation without and with options, which are given as code: with them, fewer
// requests must miss.
func (s *situation) matchAsSuggested(t *testing.T, code string) {
	t.Helper()
	misses := func(more ...promptecho.Option) int {
		file, opts := s.withoutModes().prepare(t)
		opts = append(opts, promptecho.InMode(promptecho.ModeNone))
		r := must.Open(t, file, append(opts, more...)...)
		s.runTest(t, r)
		return len(r.Misses())
	}
	before, after := misses(), misses(optionsOf(t, code)...)
	if after >= before {
		t.Errorf("%d misses, and %d with %s", before, after, code)
	}
}

// optionsOf reads options that are given as code.
func optionsOf(t *testing.T, code string) (opts []promptecho.Option) {
	t.Helper()
	text := "(`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\")"
	call := regexp.MustCompile(`^promptecho\.(\w+)\((?:` + text + `(?:, ` + text + `)?)?\)(?:, )?`)
	for code != "" {
		m := call.FindStringSubmatch(code)
		if m == nil {
			t.Fatalf("no option: %s", code)
		}
		code = code[len(m[0]):]
		a, _ := strconv.Unquote(m[2])
		b, _ := strconv.Unquote(m[3])
		switch m[1] {
		case "Ignore":
			opts = append(opts, promptecho.Ignore(a))
		case "Match":
			opts = append(opts, promptecho.Match(a))
		case "Mask":
			opts = append(opts, promptecho.Mask(a, b))
		case "MaskTimes":
			opts = append(opts, promptecho.MaskTimes())
		case "MaskUUIDs":
			opts = append(opts, promptecho.MaskUUIDs())
		case "MaskTempDirs":
			opts = append(opts, promptecho.MaskTempDirs())
		default:
			t.Fatalf("no option: %s", m[0])
		}
	}
	return opts
}

// A miss that a failed run has recorded names its file and a command, after which the test passes. For any other
// miss, the file is not named.
func TestMissNamesTheFileOfAFailedRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, prompt string, how report.Outcome) (reported string) {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(answersOf(`200 {"ok":true}`)))
		must.Post(t, r, must.ChatURL, must.ChatBody(prompt))
		return strings.Join(must.Finish(r, how).Errors, "\n")
	}
	run(promptecho.ModeAll, "one", report.Outcome{})
	run(promptecho.ModeAll, "two", report.Outcome{Failed: true})

	want := "c.yaml.failed has this request: a run that failed recorded it. " +
		"To use that file, which the next passing run completes:\n" +
		"  " + shell.Move(file+must.FailedSuffix, file) + "\n  set PROMPTECHO_MODE=once"
	if got := run(promptecho.ModeNone, "two", report.Outcome{}); !strings.Contains(got, want) {
		t.Fatalf("the report does not name the file:\n%s", got)
	}
	if got := run(promptecho.ModeNone, "three", report.Outcome{}); strings.Contains(got, "failed") {
		t.Errorf("the report names a file that does not have the request:\n%s", got)
	}

	if err := os.Rename(file+must.FailedSuffix, file); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		if got := run(mode, "two", report.Outcome{}); got != "" {
			t.Errorf("mode %s, after the command:\n%s", mode, got)
		}
	}
}
