// Package odd has programs that misbehave when an answer changes, and tests that a command which
// runs tests could get wrong. What "promptecho mutate" does with them is compared with [Outcomes].
//
// After each run of the command, the files below this folder must be as they were before.
package odd

// An Outcome is what "promptecho mutate" must say of a test.
type Outcome struct {
	Package string // below this folder; "." for this package
	Test    string
	Verdict string // as in package suite, or [NotJudged]
	Bug     string // what the program does with some answer; "" for none
	Why     string
}

// NotJudged is the verdict for tests whose changes say nothing.
const NotJudged = "not judged"

// The bugs.
const (
	Panics = "panics"
	Hangs  = "hangs"
	Exits  = "exits"
)

// Outcomes has a row for each test. A panic, a hang and an exit are noticed, so each of these tests
// has a verdict, too.
var Outcomes = []Outcome{
	{".", "TestPanics", "good", Panics, "a refused prompt of Gemini has no candidate"},
	{".", "TestPanicsInGoroutine", "good", Panics, "no text has no first word"},
	{".", "TestHangs", "good", Hangs, "a goroutine waits for a word of the answer"},
	{".", "TestSpins", "good", Hangs, "a loop ends only with the last word of the answer"},
	{".", "TestExits", "good", Exits, "status 3 for another text"},
	{".", "TestExitsWithZero", "good", Exits, "status 0 without the word PASS is no pass"},
	{".", "TestLogFatal", "good", Exits, "log.Fatal has the status of a test that fails"},
	{".", "TestGoexit", "good", Panics, "the testing package makes a panic of it"},
	{".", "TestForks", "good", "", "it starts a process that keeps standard output for 30 s"},
	{".", "TestWritesFiles", "good", "", "it creates, changes and removes files below its package"},
	{".", "TestCached", "good", "", "a second run in the same process would get the first answer"},
	{".", "TestSetsMode", NotJudged, "", "its recorder is not in mode none, where answers are changed"},
	{".", "TestRecordsItself", NotJudged, "", "its cassette is made by the test"},
	{".", "TestAsksNothing", NotJudged, "", "it has no recorder"},

	{"ownmain", "TestWord", "good", "", "its recorder is opened and closed by TestMain"},
	{"ownmain", "TestAnswers", "blind", "", "its recorder is opened and closed by TestMain"},

	{"echomain", "TestServed", "good", "", "another process asks"},
	{"echomain", "TestServedRuns", "blind", "", "another process asks, and only its status counts"},

	// The go command leaves folders named testdata out, so this package must be named.
	{"testdata/fails", "TestFails", NotJudged, "", "it fails with the recorded answer"},
	{"testdata/fails", "TestFirst", "good", "", "compares the whole text"},
	{"testdata/fails", "TestAlone", "good", "", "it fails if TestFirst runs, too, and passes alone"},
	{"testdata/fails", "TestFillsCache", "blind", "", "its answer is compared by the next test only"},
	{"testdata/fails", "TestUsesCache", NotJudged, "", "it asks nothing if the test before it runs, too"},
	{"testdata/fails", "TestStepOne", "blind", "", "its answer is the prompt of the next test only"},
	{"testdata/fails", "TestStepTwo", NotJudged, "", "alone it sends another prompt, and fails"},
	{"testdata/fails", "TestSkipped", NotJudged, "", "it asks, and is skipped whatever the answer says"},
	{"testdata/fails", "TestSkippedAtOnce", NotJudged, "", "it has no recorder"},
}
