package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/promptecho/promptecho/internal/testing/fakegithub"
	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/internal/testing/txtar"
)

// With the action, as docs/CI.md has it, a pull request has one comment with what it changes in
// cassettes. The tests run in mode none, and a cassette that cannot be committed is an annotation
// at its line.
func TestAction(t *testing.T) {
	t.Parallel()
	needsBash(t)
	r := newActionRunner(t)
	repo := newUserRepository(t)
	r.checkOut(t, repo)
	steps := workflowOfDocs(t)
	const cassette = "testdata/cassettes/TestAsk.yaml"

	// The first run builds the command.
	log := r.run(t, steps, true)
	holdsAll(t, log, "PROMPTECHO_MODE=none for all steps after this one",
		"1 file checked: no problem found", "Commented on the pull request.", "ok  \texample.com/app")
	comment := r.onlyComment(t)
	holdsAll(t, comment, "<!-- promptecho -->\n### promptecho: 1 cassette changed\n",
		"<details><summary><code>TestAsk</code>: 1 changed, 0 unchanged</summary>",
		`answer finish: "stop" -> "length"`, "<sub>Commit "+repo.head+"</sub>")
	if r.builds != 1 {
		t.Errorf("the command was built %d times", r.builds)
	}

	// The next one takes it from the cache. A key that somebody has pasted is found.
	text, err := os.ReadFile(filepath.Join(repo.dir, cassette))
	if err != nil {
		t.Fatal(err)
	}
	secret := "sk-proj-" + strings.Repeat("Ab3dEf6hIj", 5)
	repo.commit(t, map[string]string{cassette: strings.Replace(string(text), "content: hi", "content: "+secret, 1)})
	r.checkOut(t, repo)
	log = r.run(t, steps, false)
	holdsAll(t, log, "::error title=promptecho,file="+cassette+",line=", "looks like", "Updated the comment on the pull request.")
	holdsAll(t, r.onlyComment(t), "### promptecho: a cassette has what looks like a secret")
	if strings.Contains(log, secret) || strings.Contains(r.onlyComment(t), secret) {
		t.Error("the secret is in the log or in the comment")
	}
	if r.builds != 1 {
		t.Errorf("the command was built %d times, and is in the cache", r.builds)
	}

	// The change is taken back.
	repo.commit(t, map[string]string{cassette: repo.original})
	r.checkOut(t, repo)
	r.run(t, steps, true)
	holdsAll(t, r.onlyComment(t), "### promptecho: no cassette has changed")
}

// In a pull request from a fork the token may not comment: the job passes, and the summary of the
// run has the text.
func TestActionInAFork(t *testing.T) {
	t.Parallel()
	needsBash(t)
	r := newActionRunner(t)
	r.fork = true
	r.api.SetReadOnly()
	r.checkOut(t, newUserRepository(t))
	log := r.run(t, []step{{Uses: action}}, true)
	holdsAll(t, log, "::notice title=promptecho::The token of a pull request from a fork may not comment.")
	holdsAll(t, r.file(t, "GITHUB_STEP_SUMMARY"), "### promptecho: 1 cassette changed\n")
	if c := r.api.Comments(); len(c) != 0 {
		t.Errorf("the comments are %v", c)
	}
}

// What a job has set for its own code does not change how the action is built: flags, a
// workspace, a folder vendor, another platform. The action writes nothing into the repository.
func TestActionBesideSettingsOfTheUser(t *testing.T) {
	t.Parallel()
	needsBash(t)
	for _, flags := range []string{"-mod=mod", "-mod=vendor -tags=x"} {
		r := newActionRunner(t)
		repo := newUserRepository(t)
		repo.commit(t, map[string]string{"vendor/modules.txt": "# example.com/none v1.0.0\n"})
		r.checkOut(t, repo)
		maps.Copy(r.env, map[string]string{
			"GOFLAGS": flags, "GOWORK": filepath.Join(t.TempDir(), "go.work"), "GO111MODULE": "off",
			"GOOS": "js", "GOARCH": "wasm", "CGO_ENABLED": "1", "CC": "no-such-compiler",
		})
		r.run(t, []step{{Uses: action}}, true)
		if out := gitIn(t, r.workspace, "status", "--porcelain", "--ignored"); out != "" {
			t.Errorf("the action has written into the repository:\n%s", out)
		}
	}
}

// Inputs switch parts of the action off, and other events than a pull request have no comment.
func TestActionInputs(t *testing.T) {
	t.Parallel()
	needsBash(t)
	r := newActionRunner(t)
	r.checkOut(t, newUserRepository(t))
	log := r.run(t, []step{{Uses: action, With: map[string]string{"guard": "false", "comment": "false", "paths": "testdata\n"}}}, true)
	holdsAll(t, log, "1 file checked")
	if r.env["PROMPTECHO_MODE"] != "" || len(r.api.Requests()) != 0 {
		t.Errorf("PROMPTECHO_MODE=%s, and requests %q", r.env["PROMPTECHO_MODE"], r.api.Requests())
	}

	r.event = "push"
	log = r.run(t, []step{{Uses: action}}, true)
	holdsAll(t, log, "This run belongs to no pull request")
}

// Each input of the action has a description, and the one that docs/CI.md has in its table.
func TestActionInputsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "CI.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range readAction(t).Inputs {
		if in.Description == "" {
			t.Errorf("the input %s has no description", name)
		}
		if !strings.Contains(string(page), "\n| `"+name+"` |") {
			t.Errorf("docs/CI.md has no row for the input %s", name)
		}
	}
}

// action is what a workflow writes to use the action, without the version.
const action = "promptecho/promptecho/action"

// needsBash skips a test of the scripts in the action where there is no bash.
func needsBash(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the steps of the action run in bash")
	}
}

// A step is one of a workflow or of a composite action.
type step struct {
	ID, If, Uses, Run, Shell string
	With, Env                map[string]string
}

// A definition is the file action.yml.
type definition struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct{ Steps []step }
}

func readAction(t *testing.T) (d definition) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "action", "action.yml"))
	if err == nil {
		err = yaml.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// docs has the files that docs/CI.md shows.
func docs(t *testing.T) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "install", "ci.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// workflowOfDocs returns the steps of the job that docs/CI.md shows.
func workflowOfDocs(t *testing.T) []step {
	t.Helper()
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal([]byte(docs(t)[".github/workflows/test.yml"]), &workflow); err != nil {
		t.Fatal(err)
	}
	if workflow.Permissions["contents"] != "read" || workflow.Permissions["pull-requests"] != "write" {
		t.Errorf("the permissions are %v", workflow.Permissions)
	}
	return workflow.Jobs["test"].Steps
}

// A userRepository is a repository with a pull request that changes a cassette.
type userRepository struct {
	dir      string
	original string // the cassette on the base branch
	head     string // the last commit of the pull request
	merge    string // its merge with the base branch, as GitHub makes it
}

func newUserRepository(t *testing.T) *userRepository {
	t.Helper()
	files := docs(t)
	dir := tree.New(t, map[string]string{
		"go.mod":         goMod(t),
		"ask_test.go":    files["ask_test.go"],
		".gitignore":     files[".gitignore"],
		".gitattributes": files[".gitattributes"],
	})
	u := &userRepository{dir: dir}
	cmd := exec.Command("go", "test", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=", "GOFLAGS=", "PROMPTECHO_MODE=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const cassette = "testdata/cassettes/TestAsk.yaml"
	text, err := os.ReadFile(filepath.Join(dir, cassette))
	if err != nil {
		t.Fatal(err)
	}
	u.original = string(text)

	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "1")
	gitIn(t, dir, "branch", "edit")
	u.commit(t, map[string]string{cassette: strings.Replace(u.original, "finish_reason: stop", "finish_reason: length", 1)})
	return u
}

// commit commits files to the branch of the pull request, and merges it with the base branch.
func (u *userRepository) commit(t *testing.T, files map[string]string) {
	t.Helper()
	gitIn(t, u.dir, "checkout", "-q", "edit")
	tree.Write(t, u.dir, files)
	gitIn(t, u.dir, "add", "-A")
	gitIn(t, u.dir, "commit", "-q", "-m", "edit")
	u.head = gitIn(t, u.dir, "rev-parse", "HEAD")
	gitIn(t, u.dir, "checkout", "-q", "--detach", "main")
	gitIn(t, u.dir, "merge", "-q", "--no-ff", "-m", "merge", "edit")
	u.merge = gitIn(t, u.dir, "rev-parse", "HEAD")
	gitIn(t, u.dir, "checkout", "-q", "edit")
}

// gitIn runs git in a folder and returns its output.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), gitEnv...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

var gitEnv = []string{
	"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
	"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.com", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.com",
}

// An actionRunner runs the steps of jobs as GitHub's runner does, as far as the action needs it: the
// files for the environment, outputs, the path and the summary; expressions that are a value, or
// compare one; and a cache.
type actionRunner struct {
	api       *fakegithub.Server
	event     string
	fork      bool
	head      string
	workspace string
	temp      string // of the runner; a job gets an empty one
	cache     string // a folder for each key
	env       map[string]string
	secrets   map[string]string
	path      []string
	builds    int // steps that ran go build
}

func newActionRunner(t *testing.T) *actionRunner {
	t.Helper()
	r := &actionRunner{api: fakegithub.New("owner/app", 7), event: "pull_request", cache: t.TempDir()}
	t.Cleanup(r.api.Close)
	return r
}

// checkOut begins a job with a clone of the merge of a pull request, as actions/checkout makes it.
func (r *actionRunner) checkOut(t *testing.T, u *userRepository) {
	t.Helper()
	r.workspace, r.temp, r.path, r.head = t.TempDir(), t.TempDir(), nil, u.head
	gitIn(t, r.workspace, "init", "-q")
	gitIn(t, r.workspace, "remote", "add", "origin", "file://"+u.dir)
	gitIn(t, r.workspace, "fetch", "-q", "--no-tags", "--depth=1", "origin", "+"+u.merge+":refs/remotes/pull/7/merge")
	gitIn(t, r.workspace, "checkout", "-q", "--detach", u.merge)

	r.env = r.environment(t, u.merge)
}

// environment returns the variables that the runner sets for a job of a commit.
func (r *actionRunner) environment(t *testing.T, commit string) map[string]string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"GITHUB_ACTION_PATH": filepath.Join(root, "action"),
		"GITHUB_ACTIONS":     "true",
		"CI":                 "true",
		"GITHUB_API_URL":     r.api.URL,
		"GITHUB_GRAPHQL_URL": r.api.URL + "/graphql",
		"GITHUB_SERVER_URL":  "https://github.com",
		"GITHUB_REPOSITORY":  "owner/app",
		"GITHUB_RUN_ID":      "123",
		"GITHUB_SHA":         commit,
		"GITHUB_WORKSPACE":   r.workspace,
		"RUNNER_OS":          "Linux",
		"RUNNER_ARCH":        "X64",
		"RUNNER_TEMP":        r.temp,
		"ONLY_REPLAY":        "1", // for the test of the user's module: its server is gone
		"GOPROXY":            "off",
		"GOFLAGS":            "-vet=off",
		"GOTOOLCHAIN":        "local",
	}
}

// run runs the steps of a job, and checks whether it passes. It returns the log.
func (r *actionRunner) run(t *testing.T, steps []step, passes bool) string {
	t.Helper()
	r.writeEvent(t)
	var log bytes.Buffer
	err := r.steps(t, &log, steps, nil, true)
	if (err == nil) != passes {
		t.Fatalf("the job passes: %t, want %t: %v\n%s", err == nil, passes, err, log.String())
	}
	if strings.Contains(log.String(), fakegithub.Token) {
		t.Errorf("the token is in the log:\n%s", log.String())
	}
	return log.String()
}

// writeEvent writes what has started the workflow.
func (r *actionRunner) writeEvent(t *testing.T) {
	t.Helper()
	head := "owner/app"
	if r.fork {
		head = "somebody/app"
	}
	event := map[string]any{}
	if r.event == "pull_request" {
		event["pull_request"] = map[string]any{
			"number": 7,
			"base":   map[string]any{"ref": "main"},
			"head":   map[string]any{"sha": r.head, "repo": map[string]any{"full_name": head}},
		}
	}
	data, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	dir := tree.New(t, map[string]string{"event.json": string(data), "summary.md": ""})
	r.env["GITHUB_EVENT_NAME"] = r.event
	r.env["GITHUB_EVENT_PATH"] = filepath.Join(dir, "event.json")
	r.env["GITHUB_STEP_SUMMARY"] = filepath.Join(dir, "summary.md")
}

// file returns the text of a file that a variable names.
func (r *actionRunner) file(t *testing.T, variable string) string {
	t.Helper()
	text, err := os.ReadFile(r.env[variable])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// onlyComment returns the only comment of the pull request.
func (r *actionRunner) onlyComment(t *testing.T) string {
	t.Helper()
	comments := r.api.Comments()
	if len(comments) != 1 {
		t.Fatalf("the pull request has %d comments: %v", len(comments), comments)
	}
	return comments[0].Body
}

// steps runs steps until one fails. Those of a job know no inputs.
func (r *actionRunner) steps(t *testing.T, log *bytes.Buffer, steps []step, inputs map[string]string, isJob bool) error {
	t.Helper()
	values := map[string]string{"github.token": fakegithub.Token, "runner.temp": r.temp}
	for name, value := range inputs {
		values["inputs."+name] = value
	}
	for name, value := range r.secrets {
		values["secrets."+name] = value
	}
	saves := map[string]string{} // the keys of the cache to save at the end, by path
	for _, s := range steps {
		if s.If != "" && !condition(t, s.If, values) {
			continue
		}
		name, _, _ := strings.Cut(s.Uses, "@")
		switch {
		case s.Run != "":
			if err := r.script(t, log, s, values, isJob); err != nil {
				return err
			}
		case name == "actions/cache":
			path, key := expand(t, s.With["path"], values), expand(t, s.With["key"], values)
			hit := r.restore(t, path, key)
			values["steps."+s.ID+".outputs.cache-hit"] = hit
			if hit != "true" {
				saves[path] = key
			}
		case name == action:
			if err := r.composite(t, log, s); err != nil {
				return err
			}
		case name == "actions/checkout", name == "actions/setup-go": // both are done
		default:
			t.Fatalf("the runner of the test has no %s", s.Uses)
		}
	}
	for path, key := range saves {
		if err := os.CopyFS(filepath.Join(r.cache, key), os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
	}
	return nil
}

// composite runs the steps of the action. Each input has its value or its default.
func (r *actionRunner) composite(t *testing.T, log *bytes.Buffer, s step) error {
	t.Helper()
	d := readAction(t)
	inputs := map[string]string{}
	for name, in := range d.Inputs {
		inputs[name] = expand(t, in.Default, map[string]string{"github.token": fakegithub.Token})
	}
	for name, value := range s.With {
		if _, isInput := d.Inputs[name]; !isInput {
			t.Errorf("the action has no input %q", name)
		}
		inputs[name] = value
	}
	return r.steps(t, log, d.Runs.Steps, inputs, false)
}

// restore copies what the cache has for a key. It returns the output cache-hit.
func (r *actionRunner) restore(t *testing.T, path, key string) string {
	t.Helper()
	if key == "" || strings.ContainsAny(key, "/\n ,") {
		t.Errorf("the key of the cache is %q", key)
	}
	saved := filepath.Join(r.cache, key)
	_, err := os.Stat(saved)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err == nil {
		err = os.RemoveAll(path)
	}
	if err == nil {
		err = os.CopyFS(path, os.DirFS(saved))
	}
	if err != nil {
		t.Fatal(err)
	}
	return "true"
}

// script runs a script as the runner does: bash -eo pipefail, with files for what it sets.
func (r *actionRunner) script(t *testing.T, log *bytes.Buffer, s step, values map[string]string, isJob bool) error {
	t.Helper()
	if s.Shell != "bash" && !isJob {
		t.Errorf("a step of the action has the shell %q", s.Shell)
	}
	if strings.Contains(s.Run, "${{") {
		t.Errorf("a value in the text of a script can run code, so it belongs into env:\n%s", s.Run)
	}
	if strings.Contains(s.Run, " build ") {
		r.builds++
	}
	dir := tree.New(t, map[string]string{"step.sh": s.Run, "env": "", "output": "", "path": ""})
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(dir, "step.sh"))
	cmd.Dir = r.workspace
	cmd.Env = append(os.Environ(), gitEnv...)
	for _, env := range []map[string]string{r.env, s.Env} {
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+expand(t, value, values))
		}
	}
	path := append(slices.Clone(r.path), os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, "PATH="+strings.Join(path, string(os.PathListSeparator)),
		"GITHUB_ENV="+filepath.Join(dir, "env"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_PATH="+filepath.Join(dir, "path"))
	cmd.Stdout, cmd.Stderr = log, log
	err := cmd.Run()

	for line := range lines(t, filepath.Join(dir, "env")) {
		name, value, _ := strings.Cut(line, "=")
		r.env[name] = value
	}
	for line := range lines(t, filepath.Join(dir, "output")) {
		name, value, _ := strings.Cut(line, "=")
		values["steps."+s.ID+".outputs."+name] = value
	}
	for line := range lines(t, filepath.Join(dir, "path")) {
		r.path = slices.Insert(r.path, 0, line)
	}
	return err
}

// lines yields the lines of a file.
func lines(t *testing.T, file string) func(func(string) bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n")
}

var (
	expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)
	comparison = regexp.MustCompile(`^([\w.-]+) (==|!=) '([^']*)'$`)
)

// expand replaces expressions by their values.
func expand(t *testing.T, text string, values map[string]string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		value, ok := values[name]
		if !ok {
			t.Errorf("%s has no value", name)
		}
		return value
	})
}

// condition computes the condition of a step.
func condition(t *testing.T, text string, values map[string]string) bool {
	t.Helper()
	m := comparison.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("the runner of the test cannot compute %q", text)
	}
	return (values[m[1]] == m[3]) == (m[2] == "==")
}

// holdsAll checks that a text has some others in it.
func holdsAll(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}
