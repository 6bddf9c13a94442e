package reports_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

var updateReports = flag.Bool("update", false, "rewrite the reports in testdata")

// Every situation in tests/reports/testdata is reported word for word as its file shows, the same in each run. With
// -update the reports are written; read them then as the person who has to act on them.
func TestReportOfEachSituation(t *testing.T) {
	t.Parallel()
	eachSituation(t, func(t *testing.T, s *situation) {
		if s.about == "" {
			t.Error("the file does not say what the situation is")
		}
		got := s.report(t)
		if isCommand.MatchString(got) {
			t.Errorf("a terminal or a CI system would obey this:\n%q", got)
		}
		if second := s.report(t); second != got {
			t.Errorf("a second run reports\n%s\nand the first one\n%s", second, got)
		}
		if *updateReports {
			s.writeReport(t, got)
			return
		}
		if want := s.part("want"); got != want {
			t.Errorf("%s\ngot:\n%s\n\nwant:\n%s", s.about, got, want)
		}
	})
}

// isCommand matches what a terminal (escape sequences, carriage returns) or a CI system takes for a command:
// GitHub's "::error::", GitLab's "section_start" (which has both of the former), "##teamcity[" of TeamCity and
// "##vso[" of Azure. Hyperlinks are such sequences.
var isCommand = regexp.MustCompile(
	`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}]|(?m:^\s*::)|##(teamcity|vso)?\[`)

// writeReport replaces the report in the file of a situation.
func (s *situation) writeReport(t *testing.T, text string) {
	files := s.archive.Files
	withoutReport := files[: len(files)-1 : len(files)-1]
	s.archive.Files = append(withoutReport, txtar.File{Name: "want", Data: []byte(text + "\n")})
	if err := os.WriteFile(s.file, txtar.Format(s.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// report runs the test of a situation, and returns its notes, errors and annotations.
func (s *situation) report(t *testing.T) string {
	t.Helper()
	file, opts := s.prepare(t)
	r, err := promptecho.Open(file, append(opts, promptecho.Upstream(s.upstream(t)))...)
	if err != nil {
		return withoutPlaces(err.Error(), file)
	}
	defer r.Close()
	if s.part("source") != "" {
		must.Engine(r).Begin(true)
	}
	s.runTest(t, r)
	outcome := s.outcome()
	rep := must.Finish(r, outcome)
	if second := must.Finish(r, outcome); len(second.Errors) != len(rep.Errors) {
		t.Error("finishing the recorder twice gives two reports")
	}

	var lines []string
	for _, note := range rep.Notes {
		lines = append(lines, "note: "+note)
	}
	for _, text := range rep.Errors {
		lines = append(lines, "error: "+text)
	}
	for _, m := range rep.Annotations {
		lines = append(lines, fmt.Sprintf("mark: line %d: %s", m.Line, m.Text))
	}
	if len(lines) == 0 {
		return "nothing"
	}
	text := withoutPlaces(strings.Join(lines, "\n\n"), file)
	if s.part("source") != "" {
		text = s.withoutModule(text, file)
	}
	return text
}

// withoutPlaces replaces what depends on where a test runs: the path of its cassette, and lines of its source.
func withoutPlaces(text, file string) string {
	text = strings.ReplaceAll(text, file, "FILE")
	return regexp.MustCompile(`_test\.go:\d+`).ReplaceAllString(text, "_test.go:LINE")
}

// withoutModule replaces the folder of the module in which [leaveCassettes] put the test.
func (s *situation) withoutModule(text, file string) string {
	module := filepath.Dir(filepath.Clean(strings.TrimSuffix(file, testname.File(s.part("test")))))
	text = strings.ReplaceAll(text, module, "MODULE")
	text = regexp.MustCompile(`MODULE\\\S+`).ReplaceAllStringFunc(text, filepath.ToSlash)
	// A folder for temporary files that has a blank in its name is quoted in commands.
	return regexp.MustCompile(`'((?:FILE|MODULE)[^']*)'`).ReplaceAllString(text, "$1")
}

// upstream is what answers the requests that the test of a situation sends.
func (s *situation) upstream(t *testing.T) http.RoundTripper {
	if s.part("live") != "" {
		return answersOf(s.part("live"))
	}
	return provider.Func(func(*http.Request) (*http.Response, error) {
		t.Error("a request went upstream")
		return nil, http.ErrHandlerTimeout
	})
}

// outcome is how the test of a situation ends.
func (s *situation) outcome() report.Outcome {
	how := report.Outcome{Command: func(mode string) string {
		return "PROMPTECHO_MODE=" + mode + " go test example.com/app -run '^TestX$' -count=1"
	}}
	for word := range strings.FieldsSeq(s.part("outcome")) {
		how.Failed = how.Failed || word == "failed"
		how.Skipped = how.Skipped || word == "skipped"
		how.Filtered = how.Filtered || word == "filtered"
	}
	if s.part("source") != "" {
		how.Test = s.part("test")
		how.CarryOver = func(test, sources string) string {
			return "PROMPTECHO_FROM=" + sources +
				" PROMPTECHO_MODE=once go test example.com/app -run '^" + test + "$' -count=1"
		}
	}
	return how
}

// runTest takes the values and sends the requests of the test of a situation.
func (s *situation) runTest(t *testing.T, r *promptecho.Recorder) {
	t.Helper()
	must.Values(r, s.part("uses"))
	for line := range s.lines("asked") {
		send(t, r, line)
	}
}

// send sends "METHOD URL [HEADER:VALUE ...] BODY", or calls the function "KIND/FUNCTION ARGUMENT". In a body, LONG
// stands for a long text; in one that is not JSON, \r and \n stand for line ends. The reports in testdata have the
// name of this file as that of the caller.
func send(t *testing.T, r *promptecho.Recorder, line string) {
	t.Helper()
	first, rest, _ := strings.Cut(line, " ")
	if isFunction := strings.Contains(first, "/"); isFunction {
		f := promptecho.Wrap(r, first, func(context.Context, json.RawMessage) (string, error) { return "ok", nil })
		f(t.Context(), json.RawMessage(rest))
		return
	}
	url, rest, _ := strings.Cut(rest, " ")
	header, body := cutHeaders(rest)
	body = strings.ReplaceAll(body, "LONG", strings.Repeat("All work and no play makes Jack a dull boy. ", 60))
	if header.Get("Content-Type") != "application/json" {
		body = strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(body)
	}
	req := must.NewRequest(t, t.Context(), first, url, body)
	req.Header = header
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// cutHeaders cuts the words "HEADER:VALUE" from the beginning of a text. Without one for it, the type of the body is
// JSON.
func cutHeaders(text string) (header http.Header, body string) {
	header = http.Header{"Content-Type": {"application/json"}}
	for {
		word, after, _ := strings.Cut(text, " ")
		name, value, isHeader := strings.Cut(word, ":")
		if !isHeader || name == "" || strings.ContainsAny(name, `{["<`) {
			return header, text
		}
		header.Set(name, value)
		text = after
	}
}
