package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/observe"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/prove"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/setup"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/codec"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/suite"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// A scene is what a verb prints on a terminal, in a folder with the cassettes of these tests.
type scene struct {
	verb  string
	print func(t *testing.T, names []string, out *output)
}

// scenes are of the verbs that run go test, which answers here at once, and of those that write.
var scenes = []scene{
	{"record", func(t *testing.T, names []string, out *output) {
		printRun(t, "record", names, out, func(i int) attr.Counts {
			return attr.Counts{Recorded: int64(i + 1), InputTokens: 1200, OutputTokens: 34}
		})
	}},
	{"compare", func(t *testing.T, names []string, out *output) {
		printRun(t, "compare", names, out, func(i int) attr.Counts {
			return attr.Counts{Replayed: 3, Identical: int64(2 - i%2), Benign: int64(i % 2), Drift: int64(i % 4 % 2), NotCompared: int64(i % 3 % 2)}
		})
	}},
	{"accept", printAccept},
	{"prove", printProve},
	{"mutate", printMutate},
	{"observe", printObserve},
	{"prune", func(t *testing.T, names []string, out *output) {
		for _, name := range names { // whose tests are gone
			pkg, _, _ := strings.Cut(name, " ")
			tests, _ := filepath.Glob(filepath.Join(pkg, "*_test.go"))
			for _, file := range tests {
				write(t, file, "package x\n")
			}
		}
		run([]string{"prune"}, out, out)
		run([]string{"prune", "-w"}, out, out)
	}},
	{"mv", func(t *testing.T, names []string, out *output) {
		pkg, test, _ := strings.Cut(names[0], " ")
		dir, _ := os.Getwd()
		t.Chdir(pkg)
		run([]string{"mv", test, "TestTheNameThatThisTestHasFromNowOnAndThatSaysWhatItIsAbout"}, out, out)
		run([]string{"mv", "TestOfNothing", "TestOther"}, out, out)
		t.Chdir(dir)
	}},
	{"fake", func(t *testing.T, names []string, out *output) {
		pkg, test, _ := strings.Cut(names[0], " ")
		run([]string{"fake", filepath.Join(pkg, filepath.FromSlash(testname.File(test)))}, out, out)
	}},
	{"merge", func(t *testing.T, names []string, out *output) {
		run([]string{"merge"}, out, out)
		run([]string{"merge", "-into", "all", "bot"}, out, out)
	}},
	{"import", func(t *testing.T, names []string, out *output) {
		for i, name := range names {
			_, test, _ := strings.Cut(name, " ")
			write(t, filepath.Join("old", "testdata", "fixtures", strings.TrimPrefix(filepath.FromSlash(testname.File(test)), filepath.FromSlash("testdata/cassettes/"))), fmt.Sprintf(ofGoVCR, i))
		}
		run([]string{"import", "old"}, out, out)
	}},
	{"review", func(t *testing.T, names []string, out *output) {
		for _, name := range names {
			pkg, test, _ := strings.Cut(name, " ")
			file := filepath.Join(pkg, "testdata", "snapshots", filepath.Base(strings.TrimSuffix(testname.File(test), ".yaml"))+".snap")
			write(t, file, "promptecho snapshots, version 1\n-- 1 (text) --\nGo to Oslo by train.\n-- end --\n")
			write(t, file+".new", "promptecho snapshots, version 1\n-- 1 (text, new, at bot_test.go:12) --\nGo to Bergen by train.\n-- end --\n")
		}
		run([]string{"review", "-list"}, out, out)
		run([]string{"review", "-reject"}, out, out)
	}},
	{"view", func(t *testing.T, names []string, out *output) {
		write(t, "notes.md", "# Notes\n")
		run([]string{"view", "-o", "notes.md"}, out, out)
		run([]string{"view", "-o", "page.html"}, out, out)
	}},
	{"serve", func(t *testing.T, names []string, out *output) {
		t.Setenv("CI", "true")
		run([]string{"serve", "--", "true"}, out, out)
	}},
	{"replay", func(t *testing.T, names []string, out *output) {
		run([]string{"replay"}, out, out)
		run([]string{"replay", "--", "true"}, out, out)
	}},
	{"stdio", func(t *testing.T, names []string, out *output) {
		run([]string{"stdio", "--", "agent"}, out, out)
	}},
	{"lint", func(t *testing.T, names []string, out *output) {
		var lines strings.Builder
		for i, name := range names {
			pkg, test, _ := strings.Cut(name, " ")
			fmt.Fprintf(&lines, "%s/%s_test.go:%d:12: openai.NewClient is made without a recorder, so this test calls the provider: write rec := echotest.New(t), and pass option.WithHTTPClient(rec.Client()) (norecorder)\n", pkg, strings.ToLower(strings.Split(test, "/")[0]), i+10)
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "go"), "#!/bin/sh\ncat >&2 <<'END'\n"+lines.String()+"END\nexit 1\n")
		if err := os.Chmod(filepath.Join(dir, "go"), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		run([]string{"lint"}, out, out)
	}},
	{"demo", func(t *testing.T, names []string, out *output) { run([]string{"demo", "-dir", "."}, out, out) }},
	{"completion", func(t *testing.T, names []string, out *output) {
		run([]string{"completion", "fish"}, out, out)
		run([]string{"completion", "tcsh"}, out, out)
	}},
	{"init", func(t *testing.T, names []string, out *output) {
		plan := &setup.Plan{}
		for i, name := range names[:min(2, len(names))] {
			pkg, _, _ := strings.Cut(name, " ")
			file := filepath.Join(pkg, fmt.Sprintf("main%d_test.go", i))
			plan.Files = append(plan.Files, setup.File{Path: file, IsNew: i%2 == 0, Added: []string{"package x", "", "func TestMain(m *testing.M) { echotest.Main(m) }"}})
		}
		plan.Advice = []setup.Advice{{
			Text:  "TestMain without echotest.Main or echotest.Run: requests that bypass a recorder are not refused.",
			Lines: []string{"shop/shop_test.go:15: write echotest.Run(m) instead of m.Run()"},
		}}
		printPlan(out, plan, false, []string{"."})
	}},
	{"doctor", func(t *testing.T, names []string, out *output) {
		c := &checkup{
			Version: "v0.1.0", Go: "go1.26.8", Libraries: []library{{Module: ".", Version: "v0.2.0"}},
			Mode: "once", ModeBy: "the default", CI: ".github/workflows/test.yml",
			Keys:    []key{{Name: "OPENAI_API_KEY", For: "api.openai.com", Tests: len(names), IsSet: true}, {Name: "GEMINI_API_KEY", For: "generativelanguage.googleapis.com"}},
			ToSetUp: []string{".gitignore", "bot/main_test.go"}, Packages: 3, Guarded: 2,
			Cassettes: len(names), Tests: len(names), Calls: map[string]int{"llm": len(names)}, Bytes: 123456, inGit: true,
		}
		if len(names) > 1 {
			for _, name := range names {
				pkg, test, _ := strings.Cut(name, " ")
				file := filepath.Join(pkg, testname.File(test))
				c.add(newDiagnosis(finding.Failure, finding.FileNotAdded, file, "git does not have it, so other machines do not either"))
				c.add(newDiagnosis(finding.Note, finding.TestGone, file, "orphan: its test is gone"))
			}
		}
		setCommands(c.Problems)
		setCommands(c.Notes)
		printCheckup(out, c, false)
	}},
	{"version", func(t *testing.T, names []string, out *output) { run([]string{"version"}, out, out) }},
}

const ofGoVCR = `version: 2
interactions:
- id: 0
  request:
    host: api.openai.com
    body: '{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"%d"}]}'
    url: https://api.openai.com/v1/chat/completions
    method: POST
  response:
    body: '{"choices":[{"message":{"role":"assistant","content":"It is sunny."},"finish_reason":"stop"}]}'
    status: 200 OK
    code: 200
    duration: 1s
`

// printRun prints a run of the tests, of which every fourth fails, for one cause.
func printRun(t *testing.T, verb string, names []string, out *output, counts func(i int) attr.Counts) {
	dir, _ := os.Getwd()
	s := &summary{verb: verb, packages: []suite.Package{{Path: "m/bot", Dir: filepath.Join(dir, "bot")}, {Path: "m/shop", Dir: filepath.Join(dir, "shop")}, {Path: "m/.", Dir: dir}}, began: time.Now()}
	status := newStatus(out, &bytes.Buffer{})
	for i, name := range names {
		pkg, test, _ := strings.Cut(name, " ")
		r := &suite.Test{Package: "m/" + pkg, Name: test, Status: suite.Pass, Seconds: 0.1}
		r.Linked, r.Counts = true, counts(i)
		switch {
		case i%4 == 1:
			r.Status, r.Output = suite.Fail, fmt.Sprintf("--- FAIL: %s (0.%ds)\n    bot_test.go:12: no recording\n        - You are a helpfull assistant\n        + You are a helpful assistant\n", test, i%10)
		case verb == "record":
			r.Saved = []string{filepath.Join(dir, pkg, testname.File(test))}
		}
		s.Tests = append(s.Tests, r)
		status.test(s.places()[r.Package], r)
	}
	s.print(out)
}

// printAccept accepts one edit of the system prompt in the cassettes of all tests, and refuses what
// asks something else.
func printAccept(t *testing.T, names []string, out *output) {
	a := newAcceptance(out)
	a.rounds = 1
	s := &summary{verb: "accept"}
	if status := run([]string{"verify", "-w"}, &bytes.Buffer{}, &bytes.Buffer{}); status == 2 {
		t.Fatal("the cassettes are not rewritten")
	}
	var runs []missed.Run
	for i, name := range names {
		pkg, test, _ := strings.Cut(name, " ")
		file, err := filepath.Abs(filepath.Join(pkg, filepath.FromSlash(testname.File(test))))
		if err != nil {
			t.Fatal(err)
		}
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		it := f.Interactions[0]
		old, fresh := "helpfull", "helpful"
		if i%10 == 3 {
			old, fresh = "How is the weather", "What is the time"
		}
		it.Request.Body = bytes.ReplaceAll(it.Request.Body, []byte(old), []byte(fresh))
		text, _, err := codec.Encode(it)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, missed.Run{Cassette: file, Sum: cassette.SumOf(file), Calls: []missed.Call{{Played: -1, Text: string(text)}}})
		if i%10 == 3 || i%10 == 9 { // it is refused
			s.Tests = append(s.Tests, &suite.Test{Package: "m/" + pkg, Name: test, Status: suite.Fail, Done: attr.Done{Cassettes: []string{file}}})
		}
	}
	slices.SortFunc(runs, func(a, b missed.Run) int { return strings.Compare(a.Cassette, b.Cassette) })
	if _, err := a.acceptMissed(runs); err != nil {
		t.Fatal(err)
	}
	a.print(s, &testRun{verb: "accept"})
}

// printProve tells of one cause in all tests, and of a test that sleeps.
func printProve(t *testing.T, names []string, out *output) {
	p := &proof{n: 20, places: map[string]string{"bot": "./bot", "shop": "./shop", ".": "."}}
	round := prove.Rounds(20, 2)[0]
	for i := range 4 {
		p.Begin()
		for _, name := range names {
			pkg, test, _ := strings.Cut(name, " ")
			r := &suite.Test{Package: pkg, Name: test, Status: suite.Fail, Seconds: 0.01}
			r.Linked, r.Causes = true, []attr.Cause{{
				Reason: "the nearest recording differs in messages/0/content", Caller: "app_test.go:27", Options: []advice.Option{advice.New(advice.MaskUUIDs)},
				Detail: "asked:  llm/openai.chat, model gpt-5.4-mini\nmessages/0/content\n  recorded: \"Trip 0b5e\"\n  incoming: \"Trip 91fa\"",
				Edits:  []attr.Edit{{Path: "messages/0/content", Recorded: "Trip 0b5e", Incoming: fmt.Sprintf("Trip 91f%d", i)}},
			}}
			p.Add(r, &round)
		}
		slow := &suite.Test{Package: "bot", Name: "TestSleepsForTheTimeThatTheProviderSaysItShouldWait", Status: suite.Pass, Seconds: 1.5}
		slow.Linked = true
		p.Add(slow, &round)
	}
	p.print(out)
}

// printMutate tells of tests that do not notice another argument, and of one that panics.
func printMutate(t *testing.T, names []string, out *output) {
	result := &mutate.Result{Seconds: 1.5}
	for i, name := range names {
		pkg, test, _ := strings.Cut(name, " ")
		outcome := []mutate.Outcome{mutate.Unnoticed, mutate.Held, mutate.Panics}[i%3]
		a := &mutate.Answer{
			Cassette: filepath.Join("/m", pkg, testname.File(test)), Number: 1, Line: 4,
			Call: fmt.Sprintf("bot.go:21 < bot_test.go:%d", 10+i), Verdict: mutate.Weak,
		}
		for range 6 {
			a.Changes = append(a.Changes, mutate.Change{
				Kind: mutation.Argument, Outcome: outcome, By: "bot_test.go:33: got 12, want 24",
				What:   `reserve_table(restaurant: "Chez Marcel, rue du M..." -> "Chez Marcel, rue du M...")`,
				Notice: "assert on argument restaurant of reserve_table",
			})
		}
		result.Tests = append(result.Tests, &mutate.Test{
			Package: pkg, Dir: "/m/" + pkg, Name: test, Verdict: mutate.Weak, Answers: []*mutate.Answer{a},
		})
	}
	report := mutateReport{result: result}
	if err := report.print(out); err != nil {
		t.Fatal(err)
	}
}

// printObserve lists a request of each test.
func printObserve(t *testing.T, names []string, out *output) {
	var list []observe.Request
	for i, name := range names {
		pkg, test, _ := strings.Cut(name, " ")
		r := observe.Request{Package: pkg, Test: test, Place: fmt.Sprintf("%s/bot_test.go:%d", pkg, 10+i), Host: "api.openai.com", Family: "openai.chat", Count: 1 + i%3}
		if i%2 == 0 {
			r.Fix = "write rec := echotest.New(t) in " + test + ", and create the client that sends at bot.go:21 with rec.Client()"
		} else {
			r.Recorder = "promptecho"
		}
		list = append(list, r)
	}
	printObserved(newPrinter(out, true), &observe.Result{Requests: list})
}

// TestScenes: the verbs that TestPictures does not run, at 80 columns with colours, and at 120 without.
func TestScenes(t *testing.T) {
	needs.POSIX(t, "the paths and commands of the pictures")
	volatile := regexp.MustCompile(`\(\d+m?s\)|go1\.\S+ \w+/\w+|promptecho (\(devel\)|v\S+) `)
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) {
			var all strings.Builder
			for _, scene := range scenes {
				names := s.tests()
				narrow, wide := scene.on(t, names, 80, true), scene.on(t, names, 120, false)
				if !slices.Contains(asTheyAre, scene.verb) {
					fits(t, 80, narrow)
					fits(t, 120, wide)
				}
				for _, text := range []string{narrow, wide} {
					fmt.Fprintf(&all, "$ promptecho %s\n%s\n", scene.verb, volatile.ReplaceAllString(strings.ReplaceAll(text, "\x1b[", "^["), "(0s)"))
				}
				if flat := func(text string) string {
					return strings.Join(strings.Fields(escapes.ReplaceAllString(volatile.ReplaceAllString(text, ""), "")), "")
				}; !strings.Contains(narrow, "…") && flat(narrow) != flat(wide) {
					t.Errorf("%s says something else at 80 columns, with colours, than at 120:\n%s\n%s", scene.verb, narrow, wide)
				}
			}
			compareWith(t, "scenes-"+s.name, all.String())
		})
	}
}

// asTheyAre are verbs whose lines are not wrapped: those of go vet, a script, Go source, and lines of files.
var asTheyAre = []string{"lint", "completion", "init", "fake"}

// on plays a scene in a folder of its own.
func (s *scene) on(t *testing.T, names []string, width int, colour bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.25\n")
	t.Chdir(dir)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	t.Setenv("PROMPTECHO_MODE", "")
	writeSuite(t, names)
	if s.verb == "merge" || s.verb == "view" {
		if err := gitInit(); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	s.print(t, names, &output{Writer: &b, width: width, colour: colour})
	text := overwritten.ReplaceAllString(b.String(), "")
	return strings.ReplaceAll(text, dir, "/m")
}

// overwritten is a line of progress, which is there only on a slow machine, and what removes it.
var overwritten = regexp.MustCompile("[^\n]*\r\x1b\\[K")

// The lines for 100 tests fit the terminal, and one cause is told once. With FULL=1 there are 5,000.
func TestManyScenes(t *testing.T) {
	n := full.Cases(100, 5000)
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("bot TestMany/case%04d", i))
	}
	for _, scene := range scenes {
		if slices.Contains([]string{"record", "compare", "accept", "prove", "mutate", "prune"}, scene.verb) {
			text := scene.on(t, names, 80, false)
			fits(t, 80, text)
			if lines := strings.Count(text, "\n"); lines > 5*n {
				t.Errorf("%s: %d lines for %d tests", scene.verb, lines, n)
			}
		}
	}
}

// TestEveryVerbHasAPicture: whoever adds a verb looks at what it prints.
func TestEveryVerbHasAPicture(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "pictures", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, v := range verbs {
		if n := len(regexp.MustCompile(`(?m)^\$ promptecho `+v.name+`( .*)?$`).FindAllString(all.String(), -1)); n < 2 {
			t.Errorf("%s has %d pictures in testdata/pictures: add it to scenes", v.name, n)
		}
	}
}
