package echosnap

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// folder is the folder of the package. Tests may change the working directory later.
var folder, _ = os.Getwd()

// below returns a path relative to the folder of the package, if it is below the folder.
func below(path string) string {
	rel, err := filepath.Rel(folder, path)
	if err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// caller returns the place that called this package, as "file.go:line".
func caller() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		isTest := strings.HasSuffix(f.File, "_test.go")
		isOurs := strings.HasPrefix(f.Function, "github.com/promptecho/promptecho/echosnap.")
		if isTest || !isOurs {
			return shortFile(f.File) + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return ""
		}
	}
}

// shortFile returns the path of a file relative to the folder of the package, if that is
// shorter.
func shortFile(file string) string {
	rel, err := filepath.Rel(folder, file)
	if err == nil && len(rel) < len(file) {
		return filepath.ToSlash(rel)
	}
	return file
}

// whyNot returns why a run writes nothing.
func whyNot() string {
	switch {
	case report.FuzzWorker():
		return "it makes inputs for a fuzz test"
	case shell.InCI():
		return "CI is set"
	}
	return "PROMPTECHO_SNAPSHOTS is none"
}

// command returns the shell command that accepts the values of a test.
func command(test string) string {
	words := []string{"go", "test"}
	module, repository := shell.Upward(folder, "go.mod"), shell.Upward(folder, ".git")
	if repository != "" && len(module) > len(repository) {
		words = []string{"go", "-C", shell.Place(module), "test"}
	}
	pkg := "."
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" {
				words = append(words, "-tags="+s.Value)
			}
		}
		if path := strings.TrimSuffix(info.Path, ".test"); path != "" {
			pkg = path
		}
	}
	segments := strings.Split(test, "/")
	for i, s := range segments {
		segments[i] = "^" + regexp.QuoteMeta(s) + "$"
	}
	words = append(words, pkg, "-run", strings.Join(segments, "/"))
	return shell.With(runtime.GOOS, words, "PROMPTECHO_SNAPSHOTS=update")
}

const (
	mostEdits = 20   // fields of one value that are shown
	mostShown = 2000 // bytes of a value that has no snapshot
)

// sides are the words for a snapshot and a value in their differences.
var sides = diff.Sides{
	Recorded: "the snapshot", Incoming: "the value", Short: "the value",
	RecordedLabel: "snapshot: ", IncomingLabel: "now:      ",
}

// differences writes what differs between a snapshot and a value, in words.
func differences(was, now *snapshot.Section, ignored []string) string {
	if was.Kind != now.Kind {
		return fmt.Sprintf("  was %s, is now %s\n", was.Kind, now.Kind)
	}
	edits := diff.Answers(was.Lines(ignored), now.Lines(ignored))
	text := diff.WriteSides(edits, &sides, "  ", mostEdits)
	if was.Kind != snapshot.JSON { // the one field is the text
		text = strings.TrimPrefix(text, "  "+was.Name+"\n")
	}
	return redact.Printable(text)
}

// shown returns a value for people.
func shown(sec *snapshot.Section) string {
	text := sec.Text
	if len(text) > mostShown {
		text = strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return indented(redact.Printable(text))
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}
