package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A job is the job of a workflow in which the action runs.
type job struct {
	getenv func(string) string
	out    io.Writer // the log of the step, in which the runner reads workflow commands
	clone  clone     // the repository of the job
	tool   string    // the path of the command promptecho
	sleep  func(context.Context, time.Duration) error
}

// errReported is the error of a part of the job whose findings are printed already.
var errReported = errors.New("findings were reported")

// An event is what started the workflow, as far as it is read
// (https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request).
type event struct {
	PullRequest *struct {
		Number int `json:"number"`
		Base   struct {
			Ref string `json:"ref"`
		} `json:"base"`
		Head struct {
			SHA  string `json:"sha"`
			Repo *struct {
				FullName string `json:"full_name"`
			} `json:"repo"` // nil if the fork was deleted
		} `json:"head"`
	} `json:"pull_request"`
}

// event reads what started the workflow.
func (j *job) event() (*event, error) {
	file := j.getenv("GITHUB_EVENT_PATH")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	e := new(event)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("GITHUB_EVENT_PATH: %s: %w", file, err)
	}
	return e, nil
}

// isFromFork reports whether a pull request comes from another repository than this one.
func (j *job) isFromFork(e *event) bool {
	repo := e.PullRequest.Head.Repo
	return repo == nil || !strings.EqualFold(repo.FullName, j.getenv("GITHUB_REPOSITORY"))
}

// paths returns the folders and cassettes of the input "paths", one a line.
func (j *job) paths() (paths []string) {
	for line := range strings.Lines(j.getenv("INPUT_PATHS")) {
		if path := strings.TrimSpace(line); path != "" {
			paths = append(paths, path)
		}
	}
	if paths == nil {
		return []string{"."}
	}
	return paths
}

// part does a part of the action, and folds its log. It returns errReported if the part fails.
func (j *job) part(title string, do func() error) error {
	fmt.Fprintf(j.out, "::group::%s\n", title)
	err := do()
	fmt.Fprintln(j.out, "::endgroup::")
	if err == nil {
		return nil
	}
	if !errors.Is(err, errReported) {
		j.annotate(annotation{level: "error", text: err.Error()})
	}
	return errReported
}

// runURL returns the address of the page of this run.
func (j *job) runURL() string {
	return j.getenv("GITHUB_SERVER_URL") + "/" + j.getenv("GITHUB_REPOSITORY") + "/actions/runs/" +
		j.getenv("GITHUB_RUN_ID")
}

// promptecho runs the command promptecho. found reports that it exited with status 1, since it
// found what it looks for.
func (j *job) promptecho(ctx context.Context, args ...string) (out []byte, found bool, err error) {
	return command(ctx, string(j.clone), j.tool, args...)
}

// An annotation is a message that GitHub shows at a line of a file.
type annotation struct {
	level string // "error", "warning" or "notice"
	file  string // "" for the whole run
	line  int    // 0 for the whole file
	text  string
}

// The escapes of workflow commands
// (https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts).
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// annotate writes a workflow command. Its text may come from elsewhere, such as the error of an API,
// so the token is taken out of it.
func (j *job) annotate(a annotation) {
	if token := j.getenv("GITHUB_TOKEN"); token != "" {
		a.text = strings.ReplaceAll(a.text, token, "***")
	}
	properties := "title=promptecho"
	if a.file != "" {
		properties += ",file=" + escapeProperty.Replace(filepath.ToSlash(a.file))
	}
	if a.line > 0 {
		properties += fmt.Sprintf(",line=%d", a.line)
	}
	fmt.Fprintf(j.out, "::%s %s::%s\n", a.level, properties, escapeData.Replace(a.text))
}

// print writes text from elsewhere to the log. It is indented, so that none of its lines is a
// workflow command.
func (j *job) print(text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(j.out, "  %s\n", strings.TrimRight(line, "\r\n"))
	}
}

// appendTo appends text to a file of the runner, such as that of GITHUB_STEP_SUMMARY.
func (j *job) appendTo(variable, text string) error {
	file := j.getenv(variable)
	if file == "" {
		return fmt.Errorf("%s is not set: is this a job of GitHub Actions?", variable)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
