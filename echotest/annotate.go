package echotest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// relativeTo returns a path relative to a folder if the path is below it. It returns any other
// path as it is.
func relativeTo(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// writeChanges writes a line for each file that was written, since the log of a test that
// passes is not shown.
func writeChanges(w io.Writer, test string, done *attr.Done) {
	for _, path := range done.Saved {
		wd, _ := os.Getwd()
		counts := strings.Join(countsOf(done), ", ")
		fmt.Fprintf(w, "promptecho: %s: %s: saved %s\n", test, counts, relativeTo(wd, path))
	}
}

// countsOf returns the numbers of requests and recordings of a run that wrote a file:
// "3 recorded", "1 dropped". All but the first are left out if they are 0.
func countsOf(c *attr.Done) []string {
	parts := []string{fmt.Sprintf("%d recorded", c.Recorded)}
	for _, n := range []struct {
		count int64
		what  string
	}{
		{c.Resumed, "resumed"},
		{c.CarriedOver, "carried over"},
		{c.Kept, "kept"},
		{c.Dropped, "dropped"},
		{c.Failed, "got a failure"},
	} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	return parts
}

// handledOptions has the code of each option that had an effect in a test, and the code with the
// reason of each option that writeWithoutEffect has named. Tests that share an option may not all
// need it.
var handledOptions sync.Map

// writeWithoutEffect names the options that had no effect, since go test does not show the log
// of a test that passes.
func writeWithoutEffect(w io.Writer, test string, options []report.Option) {
	for _, o := range options {
		_, hadEffect := handledOptions.Load(o.Code)
		_, isNamed := handledOptions.LoadOrStore(o.Code+o.Why, true)
		if o.Why != "" && !hadEffect && !isNamed {
			fmt.Fprintf(w, "promptecho: %s%s\n", test, o)
		}
	}
}

// annotate writes a workflow command of GitHub Actions for each finding, so that it is
// shown in the changed files of a pull request, with the test and the cassette. Each
// command starts on a line of its own, whatever the test has written
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).
// It writes nothing elsewhere. The variables are read only when a test has failed:
// the go command caches results by the variables that are read.
func annotate(w io.Writer, test string, annotations []report.Annotation) {
	if len(annotations) == 0 || os.Getenv("GITHUB_ACTIONS") != "true" {
		return
	}
	for _, a := range annotations {
		file, line := a.File, a.Line
		_, err := os.Stat(file)
		if err != nil && a.Caller != "" {
			// There is no cassette to point at: point at the code that sent the request.
			name, number, _ := strings.Cut(a.Caller, ":")
			abs, err := filepath.Abs(name)
			if err == nil && strings.HasSuffix(name, ".go") {
				file = abs
			}
			if n, err := strconv.Atoi(number); err == nil {
				line = n
			}
		}
		file = relativeTo(os.Getenv("GITHUB_WORKSPACE"), file)
		place := "file=" + property.Replace(filepath.ToSlash(file))
		if line > 0 {
			place += fmt.Sprintf(",line=%d", line)
		}
		title := property.Replace("promptecho: " + test)
		message := data.Replace(filepath.Base(a.File)) + ": " + data.Replace(a.Text)
		fmt.Fprintf(w, "\n::error %s,title=%s::%s\n", place, title, message)
	}
}

// The escapes of workflow commands.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// colours are the ANSI codes for the parts of a report on a terminal: text that is only in the
// recording is red, text that is only in the request is green, and commands to paste are bold.
var colours = [...]struct{ code, pattern string }{
	{"31", `(?m)^ *(recorded|snapshot): .*$|\[-.*?-\]`},
	{"32", `(?m)^ *(incoming|live|now): .*$|\{\+.*?\+\}`},
	{"1", `(?m)^  (PROMPTECHO_\w+=|promptecho |git |cd ).*$`},
}

// coloured returns a report with colours if showsColours is true, and as it is otherwise.
func coloured(text string) string {
	if !showsColours() {
		return text
	}
	for _, c := range colours {
		text = regexp.MustCompile(c.pattern).ReplaceAllString(text, "\x1b["+c.code+"m$0\x1b[0m")
	}
	return text
}

// showsColours reports whether the output of the test has colours. The first rule that holds
// decides:
//
//	NO_COLOR is set                      no
//	FORCE_COLOR is "0" or "false"        no
//	FORCE_COLOR is set                   yes, unless the output is for go test -json
//	otherwise                            if the output is a terminal that has colours
func showsColours() bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("FORCE_COLOR"); force != "" {
		isForJSON := report.Flag("test.v") == "test2json"
		return force != "0" && force != "false" && !isForJSON
	}
	info, err := os.Stdout.Stat()
	isTerminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	return isTerminal && os.Getenv("TERM") != "dumb"
}
