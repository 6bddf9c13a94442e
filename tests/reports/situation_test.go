package reports_test

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/internal/testing/txtar"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A situation is a file in testdata: a comment that says what happened, and these parts, all of them but the last
// optional.
//
//	recorded   the requests that were recorded, one a line, as [send] has them
//	answers    their answers, one a line, as [answersOf] has them
//	top        lines that are at the top of the cassette
//	options    words of [optionsByWord] and [editsByWord]
//	uses       the recorded values that the test takes, as [must.Values] has them
//	asked      the requests of the test
//	live       the answers that the server now gives; without them no request may be sent
//	outcome    how the test ended, if it did not pass: failed, skipped, filtered
//	source     the test file of a package, if the cassettes of other tests are left there
//	test       the name of the test in it
//	files      those cassettes
//	want       the report
type situation struct {
	file    string
	about   string
	archive *txtar.Archive
	parts   map[string]string
}

// part returns a part of the file, "" if it has none of that name.
func (s *situation) part(name string) string { return s.parts[name] }

// lines returns the lines of a part.
func (s *situation) lines(name string) iter.Seq[string] {
	if s.part(name) == "" {
		return slices.Values([]string(nil))
	}
	return strings.SplitSeq(s.part(name), "\n")
}

// eachSituation runs a test for each file in testdata.
func eachSituation(t *testing.T, f func(t *testing.T, s *situation)) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d situations, want 60 or more: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &situation{file: file, about: string(archive.Comment), archive: archive, parts: map[string]string{}}
			for _, f := range archive.Files {
				s.parts[f.Name] = strings.TrimRight(string(f.Data), "\n")
			}
			f(t, s)
		})
	}
}

// optionsByWord are the options that a situation can name.
var optionsByWord = map[string]promptecho.Option{
	"allow-repeats": promptecho.AllowRepeats(),
	"allow-unused":  promptecho.AllowUnused(),
	"frozen":        promptecho.Frozen("tool/charge_card"),
	"frozen-chat":   promptecho.Frozen("llm/openai.chat"),
	"ignore-slip":   promptecho.Ignore("mesages"),
	"mask-dates":    promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE"),
	"strict":        promptecho.MatchSampling(),
}

// modesByWord are the record modes that a situation can name.
var modesByWord = map[string]promptecho.Mode{
	"none":         promptecho.ModeNone,
	"once":         promptecho.ModeOnce,
	"new-episodes": promptecho.ModeNewEpisodes,
	"all":          promptecho.ModeAll,
	"compare":      promptecho.ModeCompare,
}

// editsByWord are the edits of a cassette that a situation can name.
var editsByWord = map[string]func(t *testing.T, file string){
	"empty": func(t *testing.T, file string) {
		if err := os.WriteFile(file, []byte("version: 1\ninteractions: []\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	},
	"pinned":  func(t *testing.T, file string) { must.SetTop(t, file, "pinned: true\n") },
	"partial": func(t *testing.T, file string) { must.SetTop(t, file, "partial: true\n") },
}

// withoutModes is a situation without the record mode in the code of its test. Reports say to remove one that
// forbids recording.
func (s *situation) withoutModes() *situation {
	var rest []string
	for word := range strings.FieldsSeq(s.part("options")) {
		if _, isMode := modesByWord[word]; !isMode {
			rest = append(rest, word)
		}
	}
	without := *s
	without.parts = maps.Clone(s.parts)
	without.parts["options"] = strings.Join(rest, " ")
	return &without
}

// prepare writes the cassette of a situation, and returns the options of its test.
func (s *situation) prepare(t *testing.T) (file string, opts []promptecho.Option) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "c.yaml")
	if s.part("recorded") != "" {
		s.record(t, file)
	}
	for word := range strings.FieldsSeq(s.part("options")) {
		option, isOption := optionsByWord[word]
		mode, isMode := modesByWord[word]
		edit, isEdit := editsByWord[word]
		switch {
		case isOption:
			opts = append(opts, option)
		case isMode:
			opts = append(opts, promptecho.InMode(mode))
		case isEdit:
			edit(t, file)
		default:
			t.Fatalf("no option %q", word)
		}
	}
	if lines := s.part("top"); lines != "" {
		must.SetTop(t, file, lines+"\n")
	}
	if s.part("source") != "" {
		file = s.leaveCassettes(t, file)
	}
	return file, opts
}

// record records what a situation has as recorded.
func (s *situation) record(t *testing.T, file string) {
	t.Helper()
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeAll),
		promptecho.OnRecordError(promptecho.Keep),
		promptecho.Upstream(answersOf(cmp.Or(s.part("answers"), `200 {"ok":true}`))))
	for line := range s.lines("recorded") {
		send(t, r, line)
	}
	must.Close(t, r)
}

// leaveCassettes writes a module whose package "app" has copies of a recorded cassette, under the names of tests
// that are gone from its test file or have changed. It returns the path of the test's own cassette, which is absent.
func (s *situation) leaveCassettes(t *testing.T, recorded string) (own string) {
	t.Helper()
	dir := filepath.Dir(recorded)
	cassette := must.Read(t, recorded)
	files := map[string]string{
		"go.mod":              "module example.com/app\n",
		"app/x_test.go":       s.part("source") + "\n",
		"other/other_test.go": "package other\n",
	}
	for name := range strings.FieldsSeq(s.part("files")) {
		files[filepath.Join("app", name)] = cassette
	}
	tree.Write(t, dir, files)
	return filepath.Join(dir, "app", testname.File(s.part("test")))
}

// answersOf answers with one line after the other, "STATUS BODY", and then with the last one again. Events that
// follow each other in a body are a stream. A line without a status is the error of a connection.
func answersOf(lines string) http.RoundTripper {
	list := strings.Split(lines, "\n")
	return provider.Func(func(req *http.Request) (*http.Response, error) {
		line := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		number, body, _ := strings.Cut(line, " ")
		status, err := strconv.Atoi(number)
		if err != nil {
			return nil, errors.New(line)
		}
		contentType := "application/json"
		if strings.HasPrefix(body, "data: ") {
			contentType = "text/event-stream"
			body = strings.ReplaceAll(body, " data: ", "\n\ndata: ") + "\n\n"
		}
		return &http.Response{
			StatusCode:    status,
			ProtoMajor:    1,
			Header:        http.Header{"Content-Type": {contentType}},
			Body:          io.NopCloser(strings.NewReader(body)),
			ContentLength: int64(len(body)),
			Request:       req,
		}, nil
	})
}
