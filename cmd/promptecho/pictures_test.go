package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

var update = flag.Bool("update", false, "write the pictures in testdata/pictures")

// aRecording is a cassette whose system prompt has a typo, with this question.
const aRecording = `version: 1
interactions:
  - request:
      method: POST
      url: https://api.openai.com/v1/chat/completions
      body: {model: gpt-5.4-mini, messages: [{role: system, content: "You are a helpfull assistant who answers questions about the weather in one short sentence."}, {role: user, content: %q}]}
    response:
      status: %d
      headers: {x-api-key: "[REDACTED]"}
      body: {choices: [{message: {role: assistant, content: It is sunny.}, finish_reason: stop}]}
    usage: {input_tokens: 1234, output_tokens: 5}
    latency_ms: 800
`

// suites are what the pictures are of: names of tests, by package.
var suites = []struct {
	name  string
	tests func() []string
}{
	{"one", func() []string { return []string{"bot TestTrip"} }},
	{"thirty", func() (list []string) {
		for i := range 25 {
			list = append(list, fmt.Sprintf("bot TestCity/city%02d", i))
		}
		return append(list, "shop TestCart", "shop TestCart/empty", "shop TestPay", ". TestRoot", "shop TestPay/card/declined")
	}},
	{"names", func() []string {
		return []string{
			"bot TestTheAssistantAnswersInOneSentenceWhateverItIsAsked/when_the_question_is_long_and_the_user_is_in_a_hurry",
			"bot TestTheAssistantAnswersInOneSentenceWhateverItIsAsked/when_the_question_is_long_and_the_user_has_time",
			"bot TestWeather/天気はどうですか", "bot TestWeather/날씨_어때요", "bot TestWeather/🌈_in_été", "bot TestWeather/plain",
		}
	}},
}

// writeSuite writes the cassettes and test files of a suite into the current folder.
func writeSuite(t *testing.T, names []string) {
	t.Helper()
	for i, name := range names {
		pkg, test, _ := strings.Cut(name, " ")
		status := 200
		if i%10 == 9 {
			status = 429
		}
		write(t, filepath.Join(pkg, filepath.FromSlash(testname.File(test))), fmt.Sprintf(aRecording, "How is the weather in "+test+"?", status))
		function, _, _ := strings.Cut(test, "/")
		file := filepath.Join(pkg, strings.ToLower(function)+"_test.go")
		write(t, file, "package x\n\nimport \"testing\"\n\nfunc "+function+"(t *testing.T) { t.Run(name, nil) }\n")
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// gitInit makes the current folder a repository with one commit.
func gitInit() error {
	for _, args := range []string{"init -q", "add .", "-c user.name=x -c user.email=x@example.com commit -q -m 1"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	return nil
}

// picture runs the command on a terminal of this width.
func picture(width int, colour bool, args ...string) string {
	var b bytes.Buffer
	out := &output{Writer: &b, width: width, colour: colour}
	run(args, out, &output{Writer: &b, colour: colour})
	return "$ promptecho " + strings.Join(args, " ") + "\n" + b.String()
}

// compareWith compares a picture with the one that is kept.
func compareWith(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join(pictures, name+".txt")
	if *update {
		write(t, file, got)
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s differs from what is kept (go test ./cmd/promptecho -run TestPictures -update): %v\n%s", name, err, got)
	}
}

var pictures, _ = filepath.Abs(filepath.Join("testdata", "pictures"))

var escapes = regexp.MustCompile("\x1b\\[[0-9]*[mK]")

// fits reports lines that are wider than the terminal. Commands stay whole, to be pasted.
func fits(t *testing.T, width int, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		line = escapes.ReplaceAllString(line[strings.LastIndexByte(line, '\r')+1:], "") // progress is written over itself
		if textWidth(line) > width && !strings.HasPrefix(line, "  promptecho ") && !strings.HasPrefix(line, "  git ") && !strings.HasPrefix(line, "$ ") && !strings.HasPrefix(line, "--- FAIL: ") {
			t.Errorf("%d columns where there are %d: %s", textWidth(line), width, line)
		}
	}
}

// TestPictures: what people read every day fits their terminal. The pictures are golden files:
// look at them when they change.
func TestPictures(t *testing.T) {
	needs.POSIX(t, "the paths and commands of the pictures")
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
			names := s.tests()
			writeSuite(t, names)
			if err := gitInit(); err != nil {
				t.Fatal(err)
			}
			edited := 0
			files, err := allCassettes(nil)
			if err != nil || len(files) != len(names) {
				t.Fatal(err, files)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				edited++
				fresh := strings.ReplaceAll(string(text), "helpfull", "helpful")
				if edited%7 == 0 {
					fresh = strings.ReplaceAll(fresh, "It is sunny.", "It rains.")
				}
				write(t, file, fresh)
			}
			var all strings.Builder
			for _, width := range []int{80, 120} {
				for _, args := range [][]string{{"ls"}, {"diff"}, {"verify"}, {"show", filepath.ToSlash(files[0])}} {
					text := picture(width, false, args...)
					fits(t, width, text)
					fmt.Fprintf(&all, "%s\n", text)
					if coloured := picture(width, true, args...); escapes.ReplaceAllString(coloured, "") != text {
						t.Errorf("%v with colours says something else:\n%s", args, coloured)
					}
				}
			}
			for _, width := range []int{100, 200} {
				fits(t, width, picture(width, false, "ls")+picture(width, false, "diff"))
			}
			compareWith(t, s.name, all.String())
			if s.name == "thirty" {
				compareWith(t, "colours", strings.ReplaceAll(picture(80, true, "ls")+picture(80, true, "diff"), "\x1b[", "^["))
			}
		})
	}
}

// One edit of 100 cassettes is told once, and each cassette has a row. With FULL=1 there are 5,000.
func TestManyCassettes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	n := full.Cases(100, 5000)
	var list []*difference
	for i := range n {
		test := fmt.Sprintf("TestMany/case%04d", i)
		file := filepath.Join("many", filepath.FromSlash(testname.File(test)))
		write(t, file, fmt.Sprintf(aRecording, test, 200))
		if i == 0 {
			write(t, "many/many_test.go", "package many\n\nfunc TestMany(t *testing.T) { t.Run(name, nil) }\n")
		}
		fresh, err := load(file)
		if err != nil {
			t.Fatal(err)
		}
		old, _ := load(file)
		old.Interactions[0].Request.Body = bytes.ReplaceAll(old.Interactions[0].Request.Body, []byte("helpfull"), []byte("helpful"))
		if i < 500 {
			list = append(list, compare(file+" (HEAD)", file, old, fresh))
		}
	}
	for _, width := range []int{80, 120} {
		text := picture(width, false, "ls")
		fits(t, width, text)
		if rows := strings.Count(text, "\n    case"); rows != n {
			t.Errorf("%d rows for %d cassettes", rows, n)
		}
		if paths := strings.Count(filepath.ToSlash(text), "testdata/cassettes"); paths != 1 {
			t.Errorf("what all paths share is said %d times", paths)
		}
		var b bytes.Buffer
		newPrinter(&output{Writer: &b, width: width}, false).differences(list)
		fits(t, width, b.String())
		if lines := strings.Count(b.String(), "\n"); strings.Count(b.String(), "request messages") != 1 || lines > 30 {
			t.Errorf("one edit is told in %d lines:\n%s", lines, b.String())
		}
	}
}

// TestRunPicture: one cause in two packages is told twice, once for each command.
func TestRunPicture(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	names := suites[1].tests()
	writeSuite(t, names)
	var b bytes.Buffer
	scenes[0].print(t, names, &output{Writer: &b, width: 80})
	if n := strings.Count(b.String(), "bot_test.go:12"); n != 2 {
		t.Errorf("a cause of two packages is told %d times", n)
	}
}

// The flag -color decides whether there are colours, or else NO_COLOR, FORCE_COLOR and the
// terminal.
func TestColours(t *testing.T) {
	for _, tt := range []struct {
		args          string
		force, no     string
		colour, fails bool
	}{
		{args: "ls"},
		{args: "ls -color always", colour: true},
		{args: "ls --color=always", colour: true},
		{args: "ls", force: "1", colour: true},
		{args: "ls", force: "0"},
		{args: "ls -color never", force: "1"},
		{args: "ls", force: "1", no: "1"},
		{args: "ls -color always", no: "1", colour: true},
		{args: "ls -color sometimes", fails: true},
	} {
		t.Setenv("FORCE_COLOR", tt.force)
		t.Setenv("NO_COLOR", tt.no)
		var out, errs bytes.Buffer
		status := run(strings.Fields(tt.args), &out, &errs)
		if got := strings.Contains(out.String(), "\x1b["); got != tt.colour || (status == 2) != tt.fails {
			t.Errorf("%+v: status %d, colours %v: %s%s", tt, status, got, out.String(), errs.String())
		}
	}
}

// A character is counted as as many columns as it has in a terminal.
func TestWidths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "abc": 3, "été": 3, "e\u0301": 1, "天気": 4, "날씨": 4, "ｆ": 2, "🌈": 2, "a\u200db": 2, "—": 1} {
		if got := textWidth(text); got != want {
			t.Errorf("%q takes %d columns, got %d", text, want, got)
		}
	}
	for _, tt := range []struct {
		text string
		at   int
		want string
	}{{"abcdefghij", 5, "ab…ij"}, {"天気はどう", 6, "天…う"}, {"short", 10, "short"}} {
		if got := middle(tt.text, tt.at); got != tt.want || textWidth(got) > tt.at {
			t.Errorf("middle of %s in %d: %s", tt.text, tt.at, got)
		}
	}
}
