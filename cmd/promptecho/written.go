package main

import (
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/shell"
)

// printWritten lists files that were written, folder by folder, and says how to look at them.
// recorded says that a run recorded them: git may not know all of them yet, and secrets were
// replaced.
func printWritten(w io.Writer, files []string, recorded bool) {
	if len(files) == 0 {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "Written, to be reviewed:")
	var local, quoted []string
	for _, file := range files {
		local = append(local, here(file))
		folder, _ := inFolder(here(file))
		quoted = addNew(quoted, shell.Quote(folder))
	}
	slices.Sort(quoted)
	p.files(2, local, nil)
	list := strings.Join(quoted, " ")
	if recorded {
		if text := redactedIn(files); text != "" {
			p.line(0, "", "%s", text)
		}
		p.line(0, "", "To include new files:")
		p.command("git add -N -- " + list)
	}
	p.command("git diff -- " + list)
}

// files prints the names of files, folder by folder, as their tests are called; after some there
// may be something to say.
func (p *printer) files(indent int, files []string, about map[string]string) {
	byFolder := map[string][]string{}
	for _, file := range files {
		folder, name := path.Dir(filepath.ToSlash(file)), path.Base(filepath.ToSlash(file))
		if test, _ := testOf(file); test != "" {
			name = path.Base(test)
		}
		byFolder[folder] = append(byFolder[folder], name+about[file])
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		p.list(indent, folder, byFolder[folder])
	}
}

// list prints names that have something in common, on as few lines as there is room for.
func (p *printer) list(indent int, title string, names []string) {
	const shown = 20
	text := title + ": " + strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	p.line(indent, "", "%s", text)
}

// command prints a command that can be pasted, so it is never wrapped.
func (p *printer) command(text string) { p.write("  " + p.paint(bold, redact.Printable(text)) + "\n") }

// redactedIn says how many values stand redacted in cassettes, and where.
func redactedIn(files []string) string {
	in := map[string]int{}
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			continue
		}
		for _, it := range f.Interactions {
			countRedacted(in, it)
		}
	}
	all, parts := 0, []string{}
	for _, where := range []string{"URLs", "headers", "requests", "answers"} {
		if n := in[where]; n > 0 {
			all, parts = all+n, append(parts, fmt.Sprintf("%s in %s", thousands(int64(n)), where))
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("Redacted in %s: %s (%s)", map[bool]string{true: "it", false: "them"}[len(files) == 1], count(all, "value"), strings.Join(parts, ", "))
}

// countRedacted counts the redacted values of an interaction.
func countRedacted(in map[string]int, it *interaction.Interaction) {
	for _, headers := range []interaction.Headers{it.Request.Headers, it.Response.Headers} {
		for _, h := range headers {
			in["headers"] += redact.CountPlaceholders([]byte(strings.Join(h.Values, "\n")))
		}
	}
	in["URLs"] += redact.CountPlaceholders([]byte(it.Request.URL))
	in["requests"] += redact.CountPlaceholders(it.Request.Body)
	in["answers"] += redact.CountPlaceholders(it.Response.Body)
	for payload := range it.Response.Payloads() {
		if it.Response.Stream != "" {
			in["answers"] += redact.CountPlaceholders(payload)
		}
	}
}

// durations are how long tests took, as they write it.
var durations = regexp.MustCompile(`\(\d+\.\d+s\)`)

// sameOf returns a text of what became of tests, such that tests which failed by the same cause
// have the same: without their names, their cassettes and how long they took.
func sameOf(name, output string) string {
	for _, n := range []string{name, filepath.Base(name)} {
		output = strings.ReplaceAll(output, n, "TEST")
	}
	return durations.ReplaceAllString(output, "(TIME)")
}
