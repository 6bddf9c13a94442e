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
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestReportRemedies does what each report says, and checks that it helps: it runs the test
// in the record modes of the commands, and with the options of the hints.
func TestReportRemedies(t *testing.T) {
	t.Parallel()
	eachReport(t, func(t *testing.T, _ string, _ *txtar.Archive, part func(string) string) {
		want := part("want")
		for _, command := range slices.Compact(slices.Sorted(slices.Values(commands.FindAllString(want, -1)))) {
			mode := promptecho.Mode(commands.FindStringSubmatch(command)[1])
			if mode == promptecho.ModeNewEpisodes && strings.Contains(want, "has no recording") {
				continue // "if no request holds the value"; here one does, and the other command is for it
			}
			recordAs(t, part, mode)
		}
		for _, hint := range hints.FindAllStringSubmatch(want, -1) {
			matchWith(t, part, hint[1])
		}
		if strings.Contains(want, "has no recording") && !commands.MatchString(want) && !noCommandHelps.MatchString(want) {
			t.Errorf("the report says neither a command nor why none helps:\n%s", want)
		}
	})
}

var (
	commands       = regexp.MustCompile(`PROMPTECHO_MODE=(\w+) go test`)
	hints          = regexp.MustCompile(`if this cannot change the answer, add (.*)`)
	needed         = regexp.MustCompile(`(?m)compare it, add$\n  (.*),$`)
	noCommandHelps = regexp.MustCompile(`WebSocket|Frozen forbids`)
)

// withoutModes returns the options of a case without its record modes, which reports say to
// remove where they stand in the way of recording.
func withoutModes(part func(string) string) func(string) string {
	return func(name string) string {
		text := part(name)
		if name == "options" {
			for _, mode := range []string{"none", "once", "new-episodes", "all", "compare"} {
				text = strings.Join(slices.DeleteFunc(strings.Fields(text), func(o string) bool { return o == mode }), " ")
			}
		}
		return text
	}
}

// recordAs runs the test of a case in a record mode, with the option that the report says to
// add before, and then in mode none, in which it must pass.
func recordAs(t *testing.T, part func(string) string, mode promptecho.Mode) {
	t.Helper()
	file, opts := caseOf(t, withoutModes(part))
	if strings.Contains(part("want"), "is pinned") {
		if err := os.WriteFile(file, []byte(strings.Replace(must.Read(t, file), "pinned: true\n", "", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if m := needed.FindStringSubmatch(part("want")); m != nil {
		opts = append(opts, optionsOf(t, m[1])...)
	}
	run := func(mode promptecho.Mode) {
		live := answersOf(cmp.Or(part("live"), part("answers"), `200 {"ok":true}`))
		r := must.Open(t, file, append(slices.Clone(opts), promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep), promptecho.Upstream(live))...)
		askAll(t, r, part)
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("mode %s, after the report said to record in mode %s:\n%s", mode, commands.FindAllString(part("want"), -1), strings.Join(rep.Errors, "\n"))
		}
	}
	run(mode)
	run(promptecho.ModeNone)
}

// matchWith runs the test of a case with the options that a hint gives as code: there must
// be a miss less.
func matchWith(t *testing.T, part func(string) string, code string) {
	t.Helper()
	misses := func(more ...promptecho.Option) int {
		file, opts := caseOf(t, withoutModes(part))
		r := must.Open(t, file, append(append(opts, promptecho.InMode(promptecho.ModeNone)), more...)...)
		askAll(t, r, part)
		return len(r.Misses())
	}
	if before, after := misses(), misses(optionsOf(t, code)...); after >= before {
		t.Errorf("%d misses, and %d with %s", before, after, code)
	}
}

// TestMissInFailedFile: what a failed run left beside the cassette has the very request.
func TestMissInFailedFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, text string, o report.Outcome) string {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(answersOf(`200 {"ok":true}`)))
		askLine(t, r, "POST https://api.openai.com/v1/chat/completions "+must.ChatBody(text))
		return strings.Join(must.Finish(r, o).Errors, "\n")
	}
	run(promptecho.ModeAll, "one", report.Outcome{})
	run(promptecho.ModeAll, "two", report.Outcome{Failed: true})
	said := run(promptecho.ModeNone, "two", report.Outcome{})
	want := "c.yaml.failed has this request: a run that failed recorded it. To use that file, which the next passing run completes:\n  mv " +
		shell.Quote(file+must.FailedSuffix) + " " + shell.Quote(file) + "\n  set PROMPTECHO_MODE=once"
	if !strings.Contains(said, want) {
		t.Fatalf("the report does not name the file:\n%s", said)
	}
	if said := run(promptecho.ModeNone, "three", report.Outcome{}); strings.Contains(said, "failed") {
		t.Errorf("the report names a file that does not have the request:\n%s", said)
	}
	if err := os.Rename(file+must.FailedSuffix, file); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		if said := run(mode, "two", report.Outcome{}); said != "" {
			t.Errorf("mode %s, after the command:\n%s", mode, said)
		}
	}
}

// optionsOf reads the options that a hint gives as code.
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
