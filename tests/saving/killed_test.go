package saving_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A recording process that is killed at any moment loses no call that it has finished.
//
// The next run asks for the rest only. The moments are random: while the process starts, asks and
// saves. At each of them the cassette is whole: the old one or the new one.
func TestKilledRunLosesNoFinishedCall(t *testing.T) {
	// Not parallel: it starts processes.
	t.Setenv(killedModel, "here")
	moments := full.Cases(12, 200)
	random := rand.New(rand.NewPCG(11, 12))
	upstream := newEcho(t)
	// The next runs have a server of their own: a request of the killed process can still be on
	// its way to the first.
	nextUpstream := newEcho(t)

	finished := 0
	ended := map[string]int{} // how many processes got how far
	for moment := range moments {
		t.Run(fmt.Sprint("moment ", moment), func(t *testing.T) {
			file := newCassette(t)
			before := ""
			if moment%3 == 0 {
				before = recordOld(t, file, upstream.URL)
			}

			lines := recordAndKill(t, file, upstream.URL, random)
			done := finishedIn(t, lines)
			finished += len(done)

			hasNew := wantOldOrNew(t, file, before)
			journaled := numbersInJournal(t, file)
			found := append(numbersInCassette(t, file), journaled...)
			for _, number := range done {
				if !slices.Contains(found, number) {
					t.Errorf("call %d was finished and is nowhere; the process printed %q", number, lines)
				}
			}

			resumable := len(journaled)
			switch {
			case slices.Contains(lines, "closed"):
				ended["closed"]++
				wantOnlyCassette(t, file)
				return // there is nothing to go on with
			case hasNew:
				ended["saved"]++
				resumable = 0 // what a cassette has is not taken from the journal
			default:
				ended["recording"]++
			}

			asked := nextUpstream.asked.Load()
			recordAll(t, file, nextUpstream.URL)
			sent := int(nextUpstream.asked.Load() - asked)
			if sent != killPrompts-resumable {
				t.Errorf("the next run asked %d times, want %d: the rest", sent, killPrompts-resumable)
			}
			if got := numbersInCassette(t, file); len(got) != killPrompts {
				t.Errorf("the completed cassette has %v", got)
			}
			wantOnlyCassette(t, file)
		})
	}

	t.Logf("%d finished calls; how far the processes got: %v", finished, ended)
	if finished < moments {
		t.Errorf("only %d calls were finished: the moments are not spread over the run", finished)
	}
}

// Variables that make this test binary the process that is killed.
const (
	killedFile  = "PROMPTECHO_TEST_KILLED_FILE"  // the cassette
	killedBase  = "PROMPTECHO_TEST_KILLED_BASE"  // the address of the provider
	killedModel = "PROMPTECHO_TEST_KILLED_MODEL" // a recorded variable; the next run has another value
)

const (
	killPrompts = 24 // what the process asks, every second one as a stream
	oldPrompt   = 99 // what an earlier run has asked
)

// recordUntilKilled is the process. It prints what it has finished, line by line, as soon as it
// has the end of an answer.
func recordUntilKilled() {
	rec, err := promptecho.Open(os.Getenv(killedFile), promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("open")
	for number := range killPrompts {
		if err := askNumber(rec, os.Getenv(killedBase), number); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("finished", number)
	}
	if rep := must.Finish(rec, report.Outcome{}); len(rep.Errors) > 0 {
		fmt.Println("error", rep.Errors)
		os.Exit(1)
	}
	fmt.Println("closed")
}

// askNumber asks with a number and recorded values, of which there are more and more. So what was
// asked in the killed process is asked again in the next run only if that has the same values.
func askNumber(rec *promptecho.Recorder, base string, number int) error {
	values := fmt.Sprint(rec.Rand("ids").Uint64())
	if number >= 5 {
		values += " " + rec.Now().String()
	}
	if number >= 9 {
		values += " " + rec.Env(killedModel)
	}
	const format = `{"model":"m","stream":%v,"messages":[{"role":"user","content":"%d %s"}]}`
	body := strings.NewReader(fmt.Sprintf(format, number%2 == 1, number, values))
	resp, err := rec.Client().Post(base+"/v1/chat/completions", "application/json", body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return must.ReadToEnd(resp.Body)
}

// An echo is a provider that answers with the request, or with a stream of five events.
type echo struct {
	*httptest.Server
	asked atomic.Int32
}

func newEcho(t *testing.T) *echo {
	e := &echo{}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *echo) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the process was killed
	}
	e.asked.Add(1)
	if !strings.Contains(string(body), `"stream":true`) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q}}]}`, body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 5 {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d \"}}]}\n\n", i)
		w.(http.Flusher).Flush()
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// recordOld records a cassette with another prompt, and returns its text.
func recordOld(t *testing.T, file, base string) string {
	t.Helper()
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	if err := askNumber(rec, base, oldPrompt); err != nil {
		t.Fatal(err)
	}
	must.Close(t, rec)
	return must.Read(t, file)
}

// recordAll records what the process would have recorded.
func recordAll(t *testing.T, file, base string) {
	t.Helper()
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	for number := range killPrompts {
		if err := askNumber(rec, base, number); err != nil {
			t.Fatal(err)
		}
	}
	must.Pass(t, rec)
}

// recordAndKill starts the process and kills it at a random moment: after some of its lines, and
// then some microseconds. It returns the lines.
func recordAndKill(t *testing.T, file, base string, random *rand.Rand) (lines []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedFile+"="+file, killedBase+"="+base, killedModel+"=there")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lastLine := random.IntN(killPrompts + 3)
	more := time.Duration(random.IntN(2000)) * time.Microsecond
	if random.IntN(3) == 0 { // while it saves
		lastLine = killPrompts + 1
		more = time.Duration(random.IntN(8000)) * time.Microsecond
	}
	scanner := bufio.NewScanner(stdout)
	for {
		if len(lines) == lastLine {
			spin(more)
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		if !scanner.Scan() {
			break
		}
		lines = append(lines, scanner.Text())
	}
	cmd.Wait() // its error says that it was killed
	return lines
}

// spin waits more exactly than time.Sleep does.
func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// finishedIn returns the calls that the process has finished, by its lines.
func finishedIn(t *testing.T, lines []string) (numbers []int) {
	t.Helper()
	for _, line := range lines {
		if strings.HasPrefix(line, "error") {
			t.Fatalf("the process prints %q", line)
		}
		var number int
		if _, err := fmt.Sscanf(line, "finished %d", &number); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// wantOldOrNew checks that a cassette is whole, and the one before or one with all calls. No text
// before means that there was no cassette, and that there may be none.
func wantOldOrNew(t *testing.T, file, before string) (hasNew bool) {
	t.Helper()
	f, err := cassette.Load(file)
	if errors.Is(err, fs.ErrNotExist) && before == "" {
		return false
	}
	if err != nil {
		t.Fatalf("the cassette: %v", err)
	}
	if len(f.Interactions) == killPrompts {
		return true
	}
	if must.Read(t, file) != before {
		t.Errorf("the cassette has %d interactions, and is not the old one", len(f.Interactions))
	}
	return false
}

// wantOnlyCassette checks that nothing else is left in the folder.
func wantOnlyCassette(t *testing.T, file string) {
	t.Helper()
	if names := filesNextTo(t, file); !slices.Equal(names, []string{"c.yaml"}) {
		t.Errorf("there is %q", names)
	}
}

// numbersInCassette returns the calls that a cassette has. There may be no cassette.
func numbersInCassette(t *testing.T, file string) []int {
	t.Helper()
	f, err := cassette.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return numbersOf(t, f.Interactions)
}

// numbersInJournal returns the calls that the journal of a cassette has, each once.
func numbersInJournal(t *testing.T, file string) []int {
	t.Helper()
	left, _, err := cassette.LoadJournal(file+must.JournalSuffix, "")
	if err != nil {
		t.Fatal(err)
	}
	numbers := numbersOf(t, left.Interactions)
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// numbersOf returns the calls that were answered to the end, without that of an earlier run.
func numbersOf(t *testing.T, interactions []*interaction.Interaction) (numbers []int) {
	t.Helper()
	for _, it := range interactions {
		_, content, _ := strings.Cut(string(it.Request.Body), `"content":"`)
		var number int
		if _, err := fmt.Sscanf(content, "%d", &number); err != nil {
			t.Fatal(err)
		}
		if it.Response.End == "" && number != oldPrompt {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
