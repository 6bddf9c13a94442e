package scripts

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// The workflow of the docs records what is old, and opens a pull request whose text says what
// changed in words, tool calls and cost. The next run updates it, and pays for nothing twice.
func TestRenewalOpensAPullRequest(t *testing.T) {
	t.Parallel()
	needsBash(t)
	w := newRenewal(t)
	old := w.fileOf(t, "main", oldCassette)

	// The provider calls a tool now, and the answer is longer.
	w.reply(fakeprovider.Reply{
		Text:  "Let me look.",
		Calls: []fakeprovider.Call{{Name: "get_weather", Args: `{"city":"Paris"}`}},
		Usage: fakeprovider.Usage{Input: 100, Output: 40},
	})
	log := w.run(t, true)
	holdsAll(t, log, "pass . TestOld: 1 recorded", "Opened pull request 107.")
	if w.answers() != 1 {
		t.Errorf("the provider has answered %d times, want once: what is not old is not recorded", w.answers())
	}
	pulls := w.api.Pulls()
	if len(pulls) != 1 || pulls[0].Title != "Record again what is older than 90d" ||
		pulls[0].Head.Ref != "promptecho/renew" || pulls[0].Base.Ref != "main" {
		t.Fatalf("the pull requests are %+v", pulls)
	}
	holdsAll(t, pulls[0].Body, "### promptecho: 1 cassette changed\n",
		"tokens 100 -> 100 in, 10 -> 40 out, cost $0.000021 -> $0.000039\n",
		"It is sunny.", "Let me look.", "get_weather",
		"<sub>Recorded by [this run](https://github.com/owner/app/actions/runs/123)</sub>")
	if w.fileOf(t, "promptecho/renew", oldCassette) == old || w.fileOf(t, "main", oldCassette) != old {
		t.Error("the recording is not on the branch, or it is on main")
	}
	if changed := w.changes(t); changed != oldCassette {
		t.Errorf("the branch changes %q, want only %s", changed, oldCassette)
	}
	holdsAll(t, w.file(t, "GITHUB_STEP_SUMMARY"), "### promptecho: 1 cassette changed\n")

	// Main goes on, and nothing is old on the branch.
	w.commitToMain(t, "README.md")
	log = w.run(t, true)
	holdsAll(t, log, "stay as they are")
	if w.answers() != 1 || len(w.api.Pulls()) != 1 {
		t.Errorf("%d answers and %d pull requests after a run that has nothing to do", w.answers(), len(w.api.Pulls()))
	}

	// Another recording gets old: the branch and the pull request go on.
	w.makeOld(t, "testdata/cassettes/TestFresh.yaml")
	log = w.run(t, true)
	holdsAll(t, log, "pass . TestFresh: 1 recorded", "Updated pull request 107.")
	holdsAll(t, w.api.Pulls()[0].Body, "### promptecho: 2 cassettes changed\n")
	if w.answers() != 2 || len(w.api.Pulls()) != 1 {
		t.Errorf("%d answers and %d pull requests, want 2 and 1", w.answers(), len(w.api.Pulls()))
	}

	if !full.Set() {
		return
	}
	// The pull request was closed: the next one starts from main.
	w.api.ClosePulls()
	w.run(t, true)
	if n := len(w.api.Pulls()); n != 2 {
		t.Errorf("%d pull requests, want a second one", n)
	}
}

// If nothing is old, nothing is sent, pushed or opened.
func TestRenewalWithoutOldRecordingsDoesNothing(t *testing.T) {
	t.Parallel()
	needsBash(t)
	w := newRenewal(t)
	w.edit(t, oldCassette, func(string) string { return w.original })
	w.run(t, true)
	if w.answers() != 0 || len(w.api.Pulls()) != 0 || w.hasBranch(t) {
		t.Errorf("%d answers, %d pull requests, a branch: %t", w.answers(), len(w.api.Pulls()), w.hasBranch(t))
	}
}

// If recording fails, there is no branch and no pull request, and the log says why.
func TestRenewalThatFailsOpensNoPullRequest(t *testing.T) {
	t.Parallel()
	needsBash(t)
	w := newRenewal(t)
	w.reply(fakeprovider.Reply{Text: "I cannot say."}) // which the test does not accept
	log := w.run(t, false)
	holdsAll(t, log, "want sun", "::error title=promptecho::promptecho record failed",
		"nothing is pushed, and no pull request is opened")
	if len(w.api.Pulls()) != 0 || w.hasBranch(t) {
		t.Errorf("%d pull requests, a branch: %t", len(w.api.Pulls()), w.hasBranch(t))
	}
}

const oldCassette = "testdata/cassettes/TestOld.yaml"

// A renewal is a repository with an old recording and a fresh one, a provider, and the workflow
// that docs/FRESH.md shows.
type renewal struct {
	*actionRunner
	origin   string // a bare repository
	original string // the old cassette before it got old
	steps    []step
	linked   string // programs that linkonce has linked
	url      string // of the provider
	key      string

	mu       sync.Mutex
	next     fakeprovider.Reply
	answered int
}

func newRenewal(t *testing.T) *renewal {
	t.Helper()
	w := &renewal{actionRunner: newActionRunner(t), key: "echo-secret-" + strconv.Itoa(os.Getpid()) + "renewal"}
	w.event = "schedule"
	w.secrets = map[string]string{"OPENAI_API_KEY": w.key}
	state := new(fakeprovider.State)
	provider := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.serve(rw, r, state)
	}))
	t.Cleanup(provider.Close)
	w.url = provider.URL
	command(t)
	w.linked = t.TempDir()
	w.steps = w.workflow(t)

	w.reply(fakeprovider.Reply{Text: "It is sunny.", Usage: fakeprovider.Usage{Input: 100, Output: 10}})
	dir := tree.New(t, map[string]string{
		"go.mod":         goMod(t),
		"bot_test.go":    renewedTests,
		".gitignore":     docs(t)[".gitignore"],
		".gitattributes": docs(t)[".gitattributes"],
	})
	cmd := exec.Command("go", "test", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=", "GOFLAGS=-vet=off -ldflags=-w "+linkFlag(), "PROMPTECHO_MODE=", "LINKED="+w.linked,
		"OPENAI_BASE_URL="+w.url, "OPENAI_API_KEY="+w.key)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.answered = 0
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "1")
	w.origin = filepath.Join(t.TempDir(), "origin.git")
	gitIn(t, dir, "clone", "-q", "--bare", dir, w.origin)
	w.original = w.fileOf(t, "main", oldCassette) + "\n"
	w.makeOld(t, oldCassette)
	return w
}

// serve answers as OpenAI does, with the next reply.
func (w *renewal) serve(rw http.ResponseWriter, r *http.Request, state *fakeprovider.State) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.answered++
	n, reply := w.answered, w.next
	w.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+w.key {
		http.Error(rw, "no key", http.StatusUnauthorized)
		return
	}
	resp := fakeprovider.Read(r, body, state).Answer(n, reply)
	maps.Copy(rw.Header(), resp.Header)
	rw.WriteHeader(resp.Status)
	rw.Write(resp.Body)
}

// reply sets what the provider answers.
func (w *renewal) reply(next fakeprovider.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = next
}

// answers returns how many requests the provider has got.
func (w *renewal) answers() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered
}

// workflow returns the steps of the job that the docs show.
func (w *renewal) workflow(t *testing.T) []step {
	t.Helper()
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal([]byte(docs(t)[".github/workflows/renew.yml"]), &workflow); err != nil {
		t.Fatal(err)
	}
	if workflow.Permissions["contents"] != "write" || workflow.Permissions["pull-requests"] != "write" {
		t.Errorf("the permissions are %v", workflow.Permissions)
	}
	var steps []step
	for _, s := range workflow.Jobs["renew"].Steps {
		name, _, _ := strings.Cut(s.Uses, "@")
		if name != action { // it brings the commands, which are built already
			steps = append(steps, s)
		}
	}
	return steps
}

// run runs the job of the workflow in a new clone of main, as actions/checkout makes it. Neither
// the key nor the token is in its log.
func (w *renewal) run(t *testing.T, passes bool) (log string) {
	t.Helper()
	w.workspace, w.temp, w.path = t.TempDir(), t.TempDir(), []string{command(t)}
	gitIn(t, w.workspace, "clone", "-q", "--depth=1", "--branch", "main", "file://"+w.origin, ".")
	w.head = gitIn(t, w.workspace, "rev-parse", "HEAD")
	w.env = w.environment(t, w.head)
	w.env["GITHUB_REF_NAME"] = "main"
	w.env["GITHUB_REF_TYPE"] = "branch"
	w.env["PROMPTECHO_MODE"] = "none" // as the step before leaves it
	w.env["OPENAI_BASE_URL"] = w.url
	w.env["GOFLAGS"] += " -ldflags=-w " + linkFlag()
	w.env["LINKED"] = w.linked
	delete(w.env, "ONLY_REPLAY")
	log = w.actionRunner.run(t, w.steps, passes)
	if strings.Contains(log, w.key) {
		t.Errorf("the key is in the log:\n%s", log)
	}
	return log
}

// edit commits an edit of a file to main.
func (w *renewal) edit(t *testing.T, file string, edit func(text string) string) {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "clone", "-q", "--branch", "main", w.origin, ".")
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	tree.Write(t, dir, map[string]string{file: edit(string(text))})
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "edit "+file)
	gitIn(t, dir, "push", "-q", "origin", "main")
}

// commitToMain adds a file to main.
func (w *renewal) commitToMain(t *testing.T, file string) {
	t.Helper()
	w.edit(t, file, func(text string) string { return text + "more\n" })
}

var recordedDay = regexp.MustCompile(`(?m)^  recorded: .*$`)

// makeOld gives the recordings of a cassette on main a day that is long ago.
func (w *renewal) makeOld(t *testing.T, file string) {
	t.Helper()
	w.edit(t, file, func(text string) string {
		if !recordedDay.MatchString(text) {
			t.Fatalf("%s has no day:\n%s", file, text)
		}
		return recordedDay.ReplaceAllString(text, "  recorded: 2020-01-31")
	})
}

// fileOf returns a file of a branch.
func (w *renewal) fileOf(t *testing.T, branch, file string) string {
	t.Helper()
	return gitIn(t, w.origin, "show", branch+":"+file)
}

// changes returns the files that the branch changes.
func (w *renewal) changes(t *testing.T) string {
	t.Helper()
	return gitIn(t, w.origin, "diff", "--name-only", "main...promptecho/renew")
}

// hasBranch reports whether the branch was pushed.
func (w *renewal) hasBranch(t *testing.T) bool {
	t.Helper()
	return gitIn(t, w.origin, "branch", "--list", "promptecho/renew") != ""
}

// renewedTests is what the repository tests.
const renewedTests = `package app

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

func TestOld(t *testing.T)   { ask(t, "Is it sunny in Paris?") }
func TestFresh(t *testing.T) { ask(t, "Is it sunny in Rome?") }

// ask asks for the weather, and takes an answer with the sun or a tool call.
func ask(t *testing.T, question string) {
	rec := echotest.New(t)
	body := ` + "`" + `{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "` + "` + question + `" + `"}],
		"tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]}` + "`" + `
	req, err := http.NewRequest("POST", os.Getenv("OPENAI_BASE_URL")+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+rec.Secret("OPENAI_API_KEY"))
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	isExpected := strings.Contains(string(answer), "sunny") || strings.Contains(string(answer), "get_weather")
	if !isExpected {
		t.Errorf("want sun: %s", answer)
	}
}
`
