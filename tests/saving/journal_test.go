package saving_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// killed are the variables that make this test binary the process that is
// killed: where it records, and from where.
const (
	killedFile = "PROMPTECHO_TEST_KILLED_FILE"
	killedBase = "PROMPTECHO_TEST_KILLED_BASE"

	killedModel = "PROMPTECHO_TEST_KILLED_MODEL" // another one in the next run
)

// killPrompts are what the process asks, every second one as a stream.
const killPrompts = 24

// recordUntilKilled is the process. It says what it has finished, line by line,
// as soon as it has the end of the answer.
func recordUntilKilled() {
	r, err := promptecho.Open(os.Getenv(killedFile), promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	say("open")
	for i := range killPrompts {
		if err := askNumber(r, os.Getenv(killedBase), i); err != nil {
			say("error %v", err)
			os.Exit(1)
		}
		say("finished %d", i)
	}
	if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 { // it passed
		say("error %v", rep.Errors)
		os.Exit(1)
	}
	say("closed")
}

// askNumber asks with a number, and with more and more of what a recorder gives: what was
// asked in the killed process is asked again in the next one only if that gives the same.
func askNumber(r *promptecho.Recorder, base string, i int) error {
	given := fmt.Sprint(r.Rand("ids").Uint64())
	if i >= 5 {
		given += " " + r.Now().String()
	}
	if i >= 9 {
		given += " " + r.Env(killedModel)
	}
	body := fmt.Sprintf(`{"model":"m","stream":%v,"messages":[{"role":"user","content":"%d %s"}]}`, i%2 == 1, i, given)
	resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return must.ReadToEnd(resp.Body)
}

// numbers answers with what it was asked, and counts.
type numbers struct {
	mu    sync.Mutex
	asked int
}

func (n *numbers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	n.mu.Lock()
	n.asked++
	n.mu.Unlock()
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

func (n *numbers) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

// TestKilled kills a recording process at random moments, of its start, its
// calls and its end. What it had finished is in the journal or in the cassette,
// the cassette is the old one or the new one, and the next run asks the provider
// only for the rest.
func TestKilled(t *testing.T) {
	// Not parallel: it starts processes.
	t.Setenv(killedModel, "here")
	moments := full.Cases(12, 200)
	random := rand.New(rand.NewPCG(11, 12))
	upstream := httptest.NewServer(&numbers{})
	defer upstream.Close()
	// Another for the next run: a request of the killed process can still be on its
	// way to the first.
	rest := &numbers{}
	next := httptest.NewServer(rest)
	defer next.Close()
	finished, found, lost, closed, overOld := 0, 0, 0, 0, 0
	saved, stale, temps := 0, 0, 0
	for moment := range moments {
		file := filepath.Join(t.TempDir(), "c.yaml")
		old := moment%3 == 0 // over a cassette that is there
		before := ""
		if old {
			overOld++
			r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
			if err := askNumber(r, upstream.URL, 99); err != nil {
				t.Fatal(err)
			}
			must.Close(t, r)
			before = must.Read(t, file)
		}
		done, said := runKilled(t, file, upstream.URL, random)
		finished += len(done)

		// The cassette is whole, and the old one or the new one.
		f, err := cassette.Load(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !old:
		case err != nil:
			t.Fatalf("moment %d: the cassette: %v", moment, err)
		case len(f.Interactions) != killPrompts && must.Read(t, file) != before:
			t.Errorf("moment %d: the cassette has %d interactions, and is not the old one", moment, len(f.Interactions))
		}
		have := numbersIn(t, file)
		have = append(have, numbersIn(t, file+must.JournalSuffix)...)
		for _, n := range done {
			if slices.Contains(have, n) {
				found++
			} else {
				lost++
				t.Errorf("moment %d: %d was finished and is nowhere; the process said %q", moment, n, said)
			}
		}
		// The next run asks for nothing that is there, unless that was saved.
		if slices.Contains(said, "closed") {
			if closed++; !slices.Equal(listOf(t, file), []string{"c.yaml"}) {
				t.Errorf("moment %d: closed, and there is %q", moment, listOf(t, file))
			}
			continue
		}
		if len(listOf(t, file)) > 2 {
			temps++
		}
		resumable := len(slices.Compact(slices.Sorted(slices.Values(numbersIn(t, file+must.JournalSuffix)))))
		if f != nil && len(f.Interactions) == killPrompts {
			if saved++; resumable > 0 {
				stale++
			}
			resumable = 0
		}
		hits := rest.count()
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
		for i := range killPrompts {
			if err := askNumber(r, next.URL, i); err != nil {
				t.Fatal(err)
			}
		}
		must.Pass(t, r)
		if asked := rest.count() - hits; asked != killPrompts-resumable {
			t.Errorf("moment %d: the next run asked %d times, want %d: the rest", moment, asked, killPrompts-resumable)
		}
		if got := numbersIn(t, file); len(got) != killPrompts {
			t.Errorf("moment %d: the completed cassette has %v", moment, got)
		}
		if !slices.Equal(listOf(t, file), []string{"c.yaml"}) {
			t.Errorf("moment %d: there is %q at the end", moment, listOf(t, file))
		}
	}
	t.Logf("%d saved before they were killed, %d of them with their journal; %d with a temporary file", saved, stale, temps)
	t.Logf("%d moments (%d over a cassette, %d after the end): %d interactions finished, %d found, %d lost", moments, overOld, closed, finished, found, lost)
	if finished < moments {
		t.Errorf("only %d interactions were finished: the moments are not spread over the run", finished)
	}
}

// runKilled starts the process and kills it at a random moment: after some of its
// lines, and then some microseconds.
func runKilled(t *testing.T, file, base string, random *rand.Rand) (done []int, said []string) {
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
	lines := random.IntN(killPrompts + 3)
	spin := random.IntN(2000)
	if random.IntN(3) == 0 { // while it saves
		lines, spin = killPrompts+1, random.IntN(8000)
	}
	for scanner := bufio.NewScanner(stdout); ; {
		if len(said) == lines {
			for end := time.Now().Add(time.Duration(spin) * time.Microsecond); time.Now().Before(end); {
			}
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		if !scanner.Scan() {
			break
		}
		said = append(said, scanner.Text())
		var n int
		if _, err := fmt.Sscanf(scanner.Text(), "finished %d", &n); err == nil {
			done = append(done, n)
		}
		if strings.HasPrefix(scanner.Text(), "error") {
			t.Fatalf("the process says %q", scanner.Text())
		}
	}
	cmd.Wait() // it was killed
	return done, said
}

// numbersIn returns which prompts a cassette or a journal has answers to.
func numbersIn(t *testing.T, file string) (numbers []int) {
	t.Helper()
	var its []*interaction.Interaction
	var err error
	if strings.HasSuffix(file, must.JournalSuffix) {
		var left *cassette.File
		if left, _, err = cassette.LoadJournal(file, ""); err == nil {
			its = left.Interactions
		}
	} else if _, serr := os.Stat(file); serr == nil {
		var f *cassette.File
		if f, err = cassette.Load(file); err == nil {
			its = f.Interactions
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, it := range its {
		var n int
		body := string(it.Request.Body)
		if _, err := fmt.Sscanf(body[strings.Index(body, `"content":"`)+len(`"content":"`):], "%d", &n); err != nil {
			t.Fatal(err)
		}
		if it.Response.End == "" && n != 99 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// TestResumeFunction: what a killed run has of a function is played, and what the function
// had sent is sent no second time.
func TestResumeFunction(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after bool // the run is killed after the function returned, else within it
		calls int64
	}{
		{"killed within the function", false, 1}, {"killed after it", true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := provider.New(t)
			first, second := filepath.Join(t.TempDir(), "c.yaml"), filepath.Join(t.TempDir(), "c.yaml")
			kill := func() { // what the next run finds of it
				if err := os.WriteFile(second+must.JournalSuffix, []byte(must.Read(t, first+must.JournalSuffix)), 0o600); err != nil {
					t.Error(err)
				}
			}
			var calls atomic.Int64
			search := func(r *promptecho.Recorder, then func()) string {
				out, err := promptecho.Wrap(r, "tool/search", func(ctx context.Context, query string) (string, error) {
					calls.Add(1)
					_, body := must.PostIn(t, ctx, r, u.URL, `{"query":1}`)
					then()
					return query + body, nil
				})(t.Context(), "q")
				if err != nil {
					t.Error(err)
				}
				return out
			}
			r := must.Open(t, first)
			want := ""
			if tt.after {
				want = search(r, func() {})
				kill()
			} else {
				want = search(r, kill)
			}
			must.Pass(t, r)
			hits := u.Count()
			calls.Store(0)
			r = must.Open(t, second)
			if got := search(r, func() {}); got != want || calls.Load() != tt.calls || u.Count() != hits {
				t.Errorf("got %s after %d calls and %d requests, want %s after %d and none", got, calls.Load(), u.Count()-hits, want, tt.calls)
			}
			must.Pass(t, r)
			if n := len(must.Load(t, second).Interactions); n != 2 {
				t.Errorf("%d interactions, want the function and what it sent", n)
			}
		})
	}
}

// TestResume: how the next run goes on, by hand.
func TestResume(t *testing.T) {
	t.Parallel()
	one := func(text string, status int) *interaction.Interaction {
		return &interaction.Interaction{
			Kind:     "llm",
			Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(text))},
			Response: interaction.Response{Status: status, Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}}, Body: []byte(`{"left":true}`)},
		}
	}
	tests := []struct {
		name    string
		mode    promptecho.Mode
		left    []*interaction.Interaction
		policy  promptecho.RecordErrorPolicy
		failed  bool
		asked   string
		saved   string
		sent    int // to the provider
		partial bool
		journal bool // it is there afterwards
	}{
		{"once", promptecho.ModeOnce, []*interaction.Interaction{one("a", 200)}, promptecho.Warn, false, "a b", "a b", 1, false, false},
		{"all", promptecho.ModeAll, []*interaction.Interaction{one("a", 200)}, promptecho.Warn, false, "a b", "a b", 1, false, false},
		{"what is not asked any more is dropped", promptecho.ModeOnce, []*interaction.Interaction{one("z", 200), one("a", 200)}, promptecho.Warn, false, "a", "a", 0, false, false},
		{"not if the run fails", promptecho.ModeOnce, []*interaction.Interaction{one("z", 200), one("a", 200)}, promptecho.Warn, true, "a", "z a", 0, true, false},
		{"a failure is asked for again", promptecho.ModeOnce, []*interaction.Interaction{one("a", 500)}, promptecho.Warn, false, "a", "a", 1, false, false},
		{"one that a retry overcame is played", promptecho.ModeOnce, []*interaction.Interaction{one("a", 429), one("a", 200)}, promptecho.Warn, false, "a a", "a a", 0, false, false},
		{"one that is wanted is played", promptecho.ModeOnce, []*interaction.Interaction{one("a", 500)}, promptecho.Keep, false, "a", "a", 0, false, false},
		{"nothing is asked", promptecho.ModeOnce, []*interaction.Interaction{one("a", 200)}, promptecho.Warn, true, "", "a", 0, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := provider.New(t)
			file := filepath.Join(t.TempDir(), "c.yaml")
			for i, it := range tt.left {
				item, err := cassette.Encode(it, 0)
				if err == nil {
					err = cassette.Append(file+must.JournalSuffix, nil, item, i == 0)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			r := must.Open(t, file, promptecho.InMode(tt.mode), promptecho.OnRecordError(tt.policy))
			for p := range strings.FieldsSeq(tt.asked) {
				must.Ask(t, r, u.URL, p)
			}
			rep := must.Finish(r, report.Outcome{Failed: tt.failed})
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("saved %q, want %q; %+v", got, tt.saved, rep)
			}
			if u.Count() != tt.sent {
				t.Errorf("%d requests were sent, want %d", u.Count(), tt.sent)
			}
			if got := strings.Contains(must.Read(t, file), "partial: true"); got != tt.partial {
				t.Errorf("partial %v, want %v", got, tt.partial)
			}
			if _, err := os.Stat(file + must.JournalSuffix); tt.journal != (err == nil) {
				t.Errorf("the journal: %v", err)
			}
			if !strings.Contains(strings.Join(rep.Notes, "\n"), "resumed a recording that an earlier run began and did not save: ") {
				t.Errorf("notes %q", rep.Notes)
			}
		})
	}
}

// TestBrokenJournal is refused and kept.
func TestBrokenJournal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	broken := "version: 1\ninteractions:\n  - kind: [\n  - kind: http\n  - x"
	if err := os.WriteFile(file+must.JournalSuffix, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := promptecho.Open(file)
	if err == nil || !strings.Contains(err.Error(), file+".partial, which an earlier recording has left, cannot be read") || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("%v", err)
	}
	if must.Read(t, file+must.JournalSuffix) != broken {
		t.Error("it was changed")
	}
	if _, err := promptecho.Open(file); err == nil || strings.Contains(err.Error(), "already open") {
		t.Errorf("a second time: %v", err)
	}
}

// TestJournalHoldsNoSecret: a credential that becomes known is cleaned from what
// the journal has already.
func TestJournalHoldsNoSecret(t *testing.T) {
	t.Parallel()
	const token = "echo-secret-session-0123456789"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"session":"`+token+`"}`)))
	must.Post(t, r, "http://h/login", `{}`)
	must.Post(t, r, "http://h/v1/chat/completions", must.ChatBody("a"), "Authorization", "Bearer "+token)
	journal := must.Read(t, file+must.JournalSuffix)
	if strings.Contains(journal, token) || strings.Count(journal, "- kind: ") != 2 {
		t.Errorf("%s", journal)
	}
	must.Close(t, r)
	if _, err := os.Stat(file + must.JournalSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}

// journalHead is what a journal begins with.
const journalHead = "# promptecho cassette: credentials are replaced, everything else is as it was sent. https://github.com/promptecho/promptecho/blob/main/docs/CASSETTE.md\nversion: 1\npartial: true\ninteractions:\n"

// TestTornJournal: a process that was killed while it created its journal has
// left nothing to resume, and nothing in the way.
func TestTornJournal(t *testing.T) {
	t.Parallel()
	for _, torn := range []string{"", "# promptecho", journalHead[:40], journalHead, journalHead + "\n# entry 00000", journalHead + "\n# entry 0123456789abcdef 0123456789abcdef 12345678 60 1\n  - kind: http\n    request:\n      met"} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file+must.JournalSuffix, []byte(torn), 0o644); err != nil {
			t.Fatal(err)
		}
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
		if must.Prompts(t, file) != "a" {
			t.Errorf("after %q: not recorded", torn)
		}
	}
}

// TestTwoProcessesOneJournal: a second process that resumes from the journal of the
// first, and writes it anew, does not cost the first what it records afterwards.
func TestTwoProcessesOneJournal(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	one := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, one, u.URL, "0")
	must.Engine(one).Tape().Free() // stands for another process
	two := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, two, u.URL, "100")
	for i := range 5 {
		must.Ask(t, one, u.URL, fmt.Sprint(1+i))
	}
	// Now the first is killed.
	if got := strings.Count(must.Read(t, file+must.JournalSuffix), "- kind: llm"); got != 7 {
		t.Errorf("%d of 7 answers are in the journal", got)
	}
}

// leftovers are what a process can leave that was killed while it recorded "a" and "b",
// and saved: before and behind each step.
type leftovers struct {
	old, journal, saved []byte // the cassette before, the whole journal, the cassette after
	firstEntry          int    // so much of the journal is its first entry
}

func leave(t *testing.T, u *provider.Server) (l leftovers) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "old")
	l.old = []byte(must.Read(t, file))
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	must.Ask(t, r, u.URL, "a")
	l.firstEntry = len(must.Read(t, file+must.JournalSuffix))
	must.Ask(t, r, u.URL, "b")
	l.journal = []byte(must.Read(t, file+must.JournalSuffix))
	must.Pass(t, r)
	l.saved = []byte(must.Read(t, file))
	return l
}

// TestLeftovers: the cassette is there or not, old or new; the journal is torn at every
// kind of place, has a hole, or is left behind what was saved; and there are temporary
// files. The next recording run asks for what is not there whole, plays nothing that
// was saved, and leaves only its cassette.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	l := leave(t, u)
	n := len(l.journal)
	journals := map[string]struct {
		data []byte
		has  int // answers
	}{
		"none": {nil, 0}, "empty": {[]byte{}, 0}, "whole": {l.journal, 2},
		"a hole in the first":  {slices.Concat(l.journal[:l.firstEntry-30], l.journal[l.firstEntry-20:]), 1},
		"NULs in the first":    {slices.Concat(l.journal[:l.firstEntry-30], make([]byte, 10), l.journal[l.firstEntry-20:]), 1},
		"a hole in the second": {slices.Concat(l.journal[:n-30], l.journal[n-20:]), 1},
		"text behind it":       {slices.Concat(l.journal, []byte("\n# entry 0000000100 01234567\n- kind: llm\n  requ")), 2},
	}
	for at := 1; at < n; at += n / full.Cases(8, 100) {
		has := 0
		if at >= l.firstEntry {
			has = 1
		}
		journals[fmt.Sprintf("torn at %d", at)] = struct {
			data []byte
			has  int
		}{l.journal[:at], has}
	}
	for _, cassetteIs := range []string{"none", "old", "saved"} {
		for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
			for name, j := range journals {
				file := filepath.Join(t.TempDir(), "c.yaml")
				what := fmt.Sprintf("%s, cassette %s, journal %s", mode, cassetteIs, name)
				for path, data := range map[string][]byte{file: map[string][]byte{"old": l.old, "saved": l.saved}[cassetteIs], file + must.JournalSuffix: j.data} {
					if data == nil {
						continue
					}
					if err := os.WriteFile(path, data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				for _, of := range []string{file, file + must.JournalSuffix} { // half written
					temp, err := atomicfile.CreateTemp(of)
					if err != nil {
						t.Fatal(err)
					}
					temp.Write(l.saved[:100])
					temp.Close()
				}
				before, asked := read2(file), u.Count()
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.AllowUnused())
				recording := r.Online()
				played := 0
				switch {
				case !recording:
				case cassetteIs == "saved" && mode == promptecho.ModeAll:
				case cassetteIs == "saved":
					played = 2
				default:
					played = j.has
				}
				for _, p := range []string{"a", "b"} {
					status, body := must.Ask(t, r, u.URL, p)
					if status == 418 && !recording {
						continue
					}
					if status != 200 || !strings.Contains(body, p) {
						t.Errorf("%s: %s is answered by %d %s", what, p, status, body)
					}
				}
				rep := must.Finish(r, report.Outcome{})
				if !recording { // a replay touches nothing
					if read2(file) != before || len(listOf(t, file)) < 3 {
						t.Errorf("%s: a replay has changed something: %q", what, listOf(t, file))
					}
					continue
				}
				if sent := u.Count() - asked; sent != 2-played || len(rep.Errors) > 0 {
					t.Errorf("%s: %d requests were sent, want %d; %v", what, sent, 2-played, rep.Errors)
				}
				if got := listOf(t, file); !slices.Equal(got, []string{"c.yaml"}) {
					t.Errorf("%s: there is %q afterwards", what, got)
				}
				if got := must.Prompts(t, file); got != "a b" && got != "b a" && got != "old a b" && got != "old b a" {
					t.Errorf("%s: the cassette has %q", what, got)
				}
			}
		}
	}
}

// read2 reads a file that need not be there.
func read2(file string) string {
	b, _ := os.ReadFile(file)
	return string(b)
}

// listOf lists the folder of a file.
func listOf(t *testing.T, file string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestJournalAfterAFullDisk: what could not be written while the disk was full is
// written when there is room again, and what was torn then costs nothing.
func TestJournalAfterAFullDisk(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		u := provider.New(t)
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
		if !first {
			must.Ask(t, r, u.URL, "a")
		}
		path := must.Engine(r).Tape().Journal.Path
		must.Engine(r).Tape().Journal.Path = filepath.Join(t.TempDir(), "none", "x") // a folder cannot be made below a file
		if err := os.WriteFile(filepath.Dir(must.Engine(r).Tape().Journal.Path), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		must.Ask(t, r, u.URL, "b")
		must.Engine(r).Tape().Journal.Path = path
		must.Ask(t, r, u.URL, "c")
		must.Ask(t, r, u.URL, "d")
		// Killed here.
		left, _, err := cassette.LoadJournal(path, file)
		if want := map[bool]int{true: 3, false: 4}[first]; err != nil || len(left.Interactions) != want {
			t.Errorf("first %v: %v, want %d interactions; %v", first, left, want, err)
		}
	}
}

// TestLongNames: a cassette of any name that the file system takes is recorded, with a
// journal that the next run finds.
func TestLongNames(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	for n := 240; n <= 255; n++ {
		file := filepath.Join(t.TempDir(), strings.Repeat("n", n-5)+".yaml")
		killed := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
		must.Ask(t, killed, u.URL, "a")
		must.Engine(killed).Tape().Free()
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
		before := u.Count()
		must.Ask(t, r, u.URL, "a")
		must.Ask(t, r, u.URL, "b")
		must.Close(t, r)
		if sent := u.Count() - before; sent != 1 || must.Prompts(t, file) != "a b" || len(listOf(t, file)) != 1 {
			t.Errorf("%d bytes: %d requests were sent, want 1; there is %q", n, sent, listOf(t, file))
		}
	}
}
