package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/page"
)

// change returns a change of an answer, and what came of it.
func change(kind mutation.Kind, outcome mutate.Outcome, what, notice string) mutate.Change {
	return mutate.Change{Kind: kind, Outcome: outcome, What: what, Notice: notice}
}

// mutatedTests are tests of each verdict, and one whose program panics.
func mutatedTests() []*mutate.Test {
	answer := func(test string, verdict mutate.Verdict, changes ...mutate.Change) *mutate.Answer {
		return &mutate.Answer{
			Cassette: "/app/testdata/cassettes/" + test + ".yaml", Number: 1, Line: 4,
			Call: test + "_test.go:7", Verdict: verdict, Changes: changes,
		}
	}
	test := func(name string, verdict mutate.Verdict, changes ...mutate.Change) *mutate.Test {
		t := &mutate.Test{Package: "example.com/app", Dir: "/app", Name: name, Verdict: verdict}
		t.Answers = []*mutate.Answer{answer(name, verdict, changes...)}
		if verdict == mutate.Blind {
			t.Blind = 1
		}
		return t
	}
	panics := change(mutation.NoText, mutate.Panics, `"Hello" -> ""`, "fail if the answer has no text")
	panics.By = "panic: runtime error: index out of range [0] with length 0"
	cutOff := change(mutation.CutOff, mutate.Unnoticed, "ends in the middle of the text", "check the finish reason")
	return []*mutate.Test{
		test("TestGood", mutate.Good, change(mutation.OtherText, mutate.Noticed, `"a" -> "b"`, "")),
		test("TestHeld", mutate.HeldBy, change(mutation.Argument, mutate.Held,
			`add(a: 1 -> 2)`, "assert on argument a of add")),
		test("TestCutOne", mutate.Weak, cutOff),
		test("TestCutTwo", mutate.Weak, cutOff),
		test("TestBlind", mutate.Blind,
			change(mutation.NoText, mutate.Unnoticed, `"Hello" -> ""`, "fail if the answer has no text"),
			change(mutation.OtherText, mutate.Unnoticed, `"Hello" -> "It depends."`, "assert on the text of the answer")),
		test("TestPanics", mutate.Good, panics),
	}
}

// The report tells bugs first, one finding for each answer, and what several tests do not notice once.
func TestMutateReportTellsTheWorstFirst(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report := mutateReport{result: &mutate.Result{Tests: mutatedTests(), Seconds: 1.25}}
	if err := report.print(&out); err != nil {
		t.Fatal(err)
	}
	const want = `changes that were noticed by
the test  recording  neither
       1          0        0  TestPanics: good, panics
       0          0        2  TestBlind: blind
       0          0        1  TestCutOne: weak
       0          0        1  TestCutTwo: weak
       0          1        0  TestHeld: held

1. TestPanics panics: "Hello" -> ""
   call: TestPanics_test.go:7
   recording: testdata/cassettes/TestPanics.yaml:4
   panic: runtime error: index out of range [0] with length 0

2. TestBlind passes: "Hello" -> "It depends."
   call: TestBlind_test.go:7
   recording: testdata/cassettes/TestBlind.yaml:4
   also: no text
   to notice it: assert on the text of the answer

3. 2 tests pass: ends in the middle of the text
   tests: TestCutOne, TestCutTwo
   call: TestCutOne_test.go:7, TestCutTwo_test.go:7
   recording: testdata/cassettes/TestCutOne.yaml:4, testdata/cassettes/TestCutTwo.yaml:4
   to notice it: check the finish reason

4. TestHeld is held by its recording: add(a: 1 -> 2)
   call: TestHeld_test.go:7
   recording: testdata/cassettes/TestHeld.yaml:4
   to notice it: assert on argument a of add

7 changes in 1.2 s: tests noticed 2, only the recording 1, neither 4
6 tests: 1 blind, 2 weak, 1 held, 2 good; 1 test with a bug
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	if report.exitError() == nil {
		t.Error("a blind test and a bug have the exit status 0")
	}
}

// A comment under a pull request shows recorded text as code, whatever it contains.
func TestMutateMarkdownShowsTextAsCode(t *testing.T) {
	t.Parallel()
	tests := mutatedTests()[4:5]
	tests[0].Answers[0].Changes[1].What = "\"```<img src=x>\" -> \"It depends.\""
	var out strings.Builder
	report := mutateReport{result: &mutate.Result{Tests: tests}}
	if err := report.markdown(&out); err != nil {
		t.Fatal(err)
	}
	const want = "1. <code>TestBlind passes: &#34;```&lt;img src=x&gt;&#34; -&gt; &#34;It depends.&#34;</code>\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s", out.String())
	}
}

// The page of view has a finding next to the answer that it is about.
func TestViewShowsWhatMutateHasFound(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(&mutate.Result{Tests: mutatedTests()})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mutate.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	notes, err := readMutateNotes(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &page.Cassette{Path: "/app/testdata/cassettes/TestBlind.yaml", List: []*page.Call{{Number: 1}}}
	notes.add(c)
	messages := c.List[0].Messages
	const want = `TestBlind passes: "Hello" -> "It depends."; to notice it: assert on the text of the answer`
	if len(messages) != 1 || messages[0].Parts[0].Text != want || c.States[0] != "blind" {
		t.Errorf("got %+v, %q", messages, c.States)
	}
	if _, err := readMutateNotes("mutate_test.go"); err == nil {
		t.Error("a file that is no output of mutate is read")
	}
}
