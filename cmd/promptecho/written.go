package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// printWritten lists files that were written, folder by folder, and prints the commands to review
// them. If recorded is set, a run has recorded them: some may be new to git, and secrets were
// redacted.
func printWritten(w io.Writer, files []string, recorded bool) {
	if len(files) == 0 {
		return
	}
	p := newPrinter(w, false)
	p.write("\n")
	p.line(0, bold, "Written, to be reviewed:")
	var paths, folders []string
	for _, file := range files {
		path := here(file)
		paths = append(paths, path)
		folder, _ := inFolder(path)
		folders = addNew(folders, shell.Quote(folder))
	}
	slices.Sort(folders)
	p.files(2, paths, nil)
	arguments := strings.Join(folders, " ")
	if recorded {
		if text := redactedIn(files); text != "" {
			p.line(0, "", "%s", text)
		}
		p.line(0, "", "To review them, new files too:")
		p.command("git add -N -- " + arguments)
	}
	p.command("git diff -- " + arguments)
}

// files prints files, folder by folder, by the names of their tests. about has texts that follow the
// names of some files.
func (p *printer) files(indent int, files []string, about map[string]string) {
	byFolder := map[string][]string{}
	for _, file := range files {
		folder := path.Dir(filepath.ToSlash(file))
		name := path.Base(filepath.ToSlash(file))
		if test, _ := testOf(file); test != "" {
			name = path.Base(test)
		}
		byFolder[folder] = append(byFolder[folder], name+about[file])
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		p.list(indent, folder, byFolder[folder])
	}
}

// list prints names behind a title, at most 20.
func (p *printer) list(indent int, title string, names []string) {
	p.line(indent, "", "%s: %s", title, english.List(names, 20))
}

// command prints a command. It is never wrapped, so that it can be pasted.
func (p *printer) command(text string) { p.write("  " + p.paint(bold, redact.Printable(text)) + "\n") }

// redactedIn says how many values are redacted in cassettes, and under which names. It is "" if there
// are none.
func redactedIn(files []string) string {
	counts := map[string]int{} // by name
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			continue
		}
		for _, it := range f.Interactions {
			countRedacted(counts, it)
		}
	}
	delete(counts, "")
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	const maxNames = 6
	sum := 0
	var parts []string
	for i, name := range names {
		sum += counts[name]
		if i < maxNames {
			parts = append(parts, english.Thousands(counts[name])+" "+name)
		}
	}
	if sum == 0 {
		return ""
	}
	if more := len(names) - maxNames; more > 0 {
		parts = append(parts, "and "+count(more, "other name"))
	}
	return fmt.Sprintf("Redacted in %s: %s (%s)",
		itOrThem(len(files)), count(sum, "value"), strings.Join(parts, ", "))
}

// countRedacted counts the redacted values of an interaction by the names of headers, parameters and
// fields. Those inside of longer texts count together.
func countRedacted(counts map[string]int, it *interaction.Interaction) {
	for _, headers := range []interaction.Headers{it.Request.Headers, it.Response.Headers} {
		for _, h := range headers {
			countPlaceholders(counts, h.Name, strings.Join(h.Values, "\n"))
		}
	}
	address, query, _ := strings.Cut(it.Request.URL, "?")
	countPlaceholders(counts, "in URLs", address)
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		countPlaceholders(counts, name, value)
	}
	countInBody(counts, string(it.Request.Body))
	for payload := range it.Response.Payloads() {
		countInBody(counts, payload)
	}
}

// countPlaceholders adds the number of placeholders in a text to that of a name. Those without a name
// count as "in texts".
func countPlaceholders(counts map[string]int, name, text string) {
	n := redact.CountPlaceholders(text)
	if n > 0 {
		counts[cmp.Or(name, "in texts")] += n
	}
}

// countInBody counts the placeholders in a body, which may be JSON.
func countInBody(counts map[string]int, body string) {
	v, err := exactjson.Parse(body)
	if err != nil {
		countPlaceholders(counts, "", body)
		return
	}
	countInValue(counts, &v, "")
}

// countInValue counts the placeholders in a JSON value. name is that of the innermost field around
// it. A placeholder in a sentence counts as one without a name: the name of a field such as "content"
// does not say what was redacted.
func countInValue(counts map[string]int, v *exactjson.Value, name string) {
	if v.Kind == exactjson.String {
		isSentence := strings.ContainsAny(v.Text, " \n")
		nameOfText := name
		if isSentence {
			nameOfText = ""
		}
		countPlaceholders(counts, nameOfText, v.Text)
	}
	for i := range v.Elems {
		e := &v.Elems[i]
		countInValue(counts, e, cmp.Or(e.Name, name))
	}
}

// durations matches the duration of a test in the output of go test.
var durations = regexp.MustCompile(`\(\d+\.\d+s\)`)

// comparableOutput returns the output of a test with TEST for its name, also in paths of cassettes,
// and TIME for its duration. It is equal for tests that failed for the same cause.
func comparableOutput(name, output string) string {
	for _, n := range []string{name, filepath.Base(name)} {
		output = strings.ReplaceAll(output, n, "TEST")
	}
	return durations.ReplaceAllString(output, "(TIME)")
}
