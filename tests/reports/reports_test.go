package reports_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

var updateReports = flag.Bool("update", false, "rewrite the reports in testdata")

// reportOptions are what the cases in testdata can ask for.
var reportOptions = map[string]promptecho.Option{
	"none": promptecho.InMode(promptecho.ModeNone), "once": promptecho.InMode(promptecho.ModeOnce), "allow-unused": promptecho.AllowUnused(), "allow-repeats": promptecho.AllowRepeats(),
	"strict": promptecho.MatchSampling(), "match-on-model": promptecho.MatchOnly("*", "model"), "mask-dates": promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE"),
	"ignore-slip": promptecho.Ignore("mesages"), "match-host": promptecho.Match("host"), "frozen": promptecho.Frozen("tool/charge_card"),
	"new-episodes": promptecho.InMode(promptecho.ModeNewEpisodes), "all": promptecho.InMode(promptecho.ModeAll), "compare": promptecho.InMode(promptecho.ModeCompare), "frozen-chat": promptecho.Frozen("llm/openai.chat"),
}

// forbidden matches what a terminal (escape sequences, carriage returns) or a CI system
// takes for a command: GitHub's "::error::", GitLab's "section_start" (which has both of the
// former), "##teamcity[" of TeamCity and "##vso[" of Azure. Hyperlinks are such sequences.
var forbidden = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}]|(?m:^\s*::)|##(teamcity|vso)?\[`)

// TestReportFiles holds every report to a file that a person has read: a comment
// that says what happened, what was recorded and asked (one request a line:
// method, URL, body), what stands at the top of the cassette and what the test uses of
// that, and what is said. With -update they are written; read them
// then as who is paged by them.
func TestReportFiles(t *testing.T) {
	t.Parallel()
	eachReport(t, func(t *testing.T, file string, ar *txtar.Archive, part func(string) string) {
		if len(ar.Comment) == 0 {
			t.Error("the case does not say what it is about")
		}
		got := reportOf(t, part)
		if forbidden.MatchString(got) {
			t.Errorf("a terminal or a CI system would obey this:\n%q", got)
		}
		if again := reportOf(t, part); again != got {
			t.Errorf("another run says\n%s\nand not\n%s", again, got)
		}
		if *updateReports {
			ar.Files = append(ar.Files[:len(ar.Files)-1:len(ar.Files)-1], txtar.File{Name: "want", Data: []byte(got + "\n")})
			if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if want := part("want"); got != want {
			t.Errorf("%s\ngot:\n%s\n\nwant:\n%s", ar.Comment, got, want)
		}
	})
}

// eachReport runs a test for each file in testdata.
func eachReport(t *testing.T, f func(t *testing.T, file string, ar *txtar.Archive, part func(string) string)) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d reports, want 60 or more: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ar := txtar.Parse(data)
			f(t, file, ar, func(name string) string {
				for _, f := range ar.Files {
					if f.Name == name {
						return strings.TrimRight(string(f.Data), "\n")
					}
				}
				return ""
			})
		})
	}
}

// caseOf records what a case has, and returns the cassette and the options of its test.
func caseOf(t *testing.T, part func(string) string) (file string, opts []promptecho.Option) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	if recorded := part("recorded"); recorded != "" {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(promptecho.Keep), promptecho.Upstream(answersOf(cmp.Or(part("answers"), `200 {"ok":true}`))))
		for line := range strings.SplitSeq(recorded, "\n") {
			askLine(t, r, line)
		}
		must.Close(t, r)
	}
	for name := range strings.FieldsSeq(part("options")) {
		switch name {
		case "empty":
			if err := os.WriteFile(file, []byte("version: 1\ninteractions: []\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		case "pinned", "partial":
			if err := os.WriteFile(file, []byte(strings.Replace(must.Read(t, file), "version: 1\n", "version: 1\n"+name+": true\n", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			opt, ok := reportOptions[name]
			if !ok {
				t.Fatalf("no option %q", name)
			}
			opts = append(opts, opt)
		}
	}
	if lines := part("top"); lines != "" {
		must.SetTop(t, file, lines+"\n")
	}
	if source := part("source"); source != "" {
		file = outgrow(t, file, source, part("test"), strings.Fields(part("files")))
	}
	return file, opts
}

// quotedPath is a path in a command that can be pasted.
var quotedPath = regexp.MustCompile(`'((?:FILE|MODULE)[^']*)'`)

// outgrow gives a cassette to tests that are in the test file of a package no more, or have
// changed, as cassettes below the folder of the package. It returns the cassette of the test,
// which is not there.
func outgrow(t *testing.T, recorded, source, test string, cassettes []string) (file string) {
	t.Helper()
	dir := filepath.Dir(recorded)
	data := must.Read(t, recorded)
	files := map[string]string{"go.mod": "module example.com/app\n", "app/x_test.go": source + "\n", "other/other_test.go": "package other\n"}
	for _, name := range cassettes {
		files[filepath.Join("app", name)] = data
	}
	tree.Write(t, dir, files)
	return filepath.Join(dir, "app", testname.File(test))
}

// askAll uses and asks what a case says.
func askAll(t *testing.T, r *promptecho.Recorder, part func(string) string) {
	t.Helper()
	must.Values(r, part("uses"))
	if asked := part("asked"); asked != "" {
		for line := range strings.SplitSeq(asked, "\n") {
			askLine(t, r, line)
		}
	}
}

// reportOf records, asks, and returns everything that is then said.
func reportOf(t *testing.T, part func(string) string) string {
	t.Helper()
	file, opts := caseOf(t, part)
	o := report.Outcome{Command: func(mode string) string {
		return "PROMPTECHO_MODE=" + mode + " go test example.com/app -run '^TestX$' -count=1"
	}}
	for name := range strings.FieldsSeq(part("outcome")) {
		o.Failed = o.Failed || name == "failed"
		o.Skipped = o.Skipped || name == "skipped"
		o.Filtered = o.Filtered || name == "filtered"
	}
	upstream := answersOf(part("live"))
	if part("live") == "" {
		upstream = provider.Func(func(*http.Request) (*http.Response, error) {
			t.Error("a request went upstream")
			return nil, http.ErrHandlerTimeout
		})
	}
	r, err := promptecho.Open(file, append(opts, promptecho.Upstream(upstream))...)
	if err != nil {
		return stable(err.Error(), file)
	}
	defer r.Close()
	if part("source") != "" {
		must.Engine(r).Begin(true)
		o.Test = part("test")
		o.CarryOver = func(test, sources string) string {
			return "PROMPTECHO_FROM=" + sources + " PROMPTECHO_MODE=once go test example.com/app -run '^" + test + "$' -count=1"
		}
	}
	askAll(t, r, part)
	rep := must.Finish(r, o)
	if again := must.Finish(r, o); len(again.Errors) != len(rep.Errors) {
		t.Error("finishing again gives another report")
	}
	var said []string
	for _, n := range rep.Notes {
		said = append(said, "note: "+n)
	}
	for _, e := range rep.Errors {
		said = append(said, "error: "+e)
	}
	for _, m := range rep.Annotations {
		said = append(said, fmt.Sprintf("mark: line %d: %s", m.Line, m.Text))
	}
	if len(said) == 0 {
		return "nothing"
	}
	text := stable(strings.Join(said, "\n\n"), file)
	if part("source") != "" {
		text = strings.ReplaceAll(text, filepath.Dir(filepath.Clean(strings.TrimSuffix(file, testname.File(part("test"))))), "MODULE")
		text = quotedPath.ReplaceAllString(text, "$1") // the folder for temporary files may have a blank
	}
	return text
}

// answersOf returns a transport that answers with a line after the other, "STATUS BODY",
// and then with the last one again. Events that follow each other in a body are a stream.
// A line without a status is an error.
func answersOf(lines string) http.RoundTripper {
	list := strings.Split(lines, "\n")
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		line := list[0]
		list = list[min(1, len(list)-1):]
		number, body, _ := strings.Cut(line, " ")
		status, err := strconv.Atoi(number)
		if err != nil {
			return nil, errors.New(line)
		}
		contentType := "application/json"
		if strings.HasPrefix(body, "data: ") {
			contentType, body = "text/event-stream", strings.ReplaceAll(body, " data: ", "\n\ndata: ")+"\n\n"
		}
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, Header: http.Header{"Content-Type": {contentType}},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: req,
		}, nil
	})
}

// askLine sends "METHOD URL [HEADER:VALUE ...] BODY", or calls "KIND/FUNCTION ARGUMENT". In a
// body, \r and \n stand for line ends.
func askLine(t *testing.T, r *promptecho.Recorder, line string) {
	t.Helper()
	if name, argument, _ := strings.Cut(line, " "); strings.Contains(name, "/") {
		f := promptecho.Wrap(r, name, func(context.Context, json.RawMessage) (string, error) { return "ok", nil })
		f(t.Context(), json.RawMessage(argument))
		return
	}
	method, rest, _ := strings.Cut(line, " ")
	url, body, _ := strings.Cut(rest, " ")
	header := http.Header{"Content-Type": {"application/json"}}
	for {
		first, after, _ := strings.Cut(body, " ")
		name, value, ok := strings.Cut(first, ":")
		if !ok || name == "" || strings.ContainsAny(name, `{["<`) {
			break
		}
		header.Set(name, value)
		body = after
	}
	body = strings.ReplaceAll(body, "LONG", strings.Repeat("All work and no play makes Jack a dull boy. ", 60))
	if header.Get("Content-Type") != "application/json" {
		body = strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}
