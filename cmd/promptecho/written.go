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
		p.line(0, "", "To review them, new files too:")
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
	p.line(indent, "", "%s: %s", title, english.List(names, 20))
}

// command prints a command that can be pasted, so it is never wrapped.
func (p *printer) command(text string) { p.write("  " + p.paint(bold, redact.Printable(text)) + "\n") }

// redactedIn says how many values stand redacted in cassettes, and under which names.
func redactedIn(files []string) string {
	under := map[string]int{}
	for _, file := range files {
		f, err := load(file)
		if err != nil {
			continue
		}
		for _, it := range f.Interactions {
			countRedacted(under, it)
		}
	}
	delete(under, "")
	names := slices.SortedFunc(maps.Keys(under), func(a, b string) int { return cmp.Or(under[b]-under[a], strings.Compare(a, b)) })
	const shown = 6
	all, parts := 0, []string{}
	for i, name := range names {
		all += under[name]
		if i < shown {
			parts = append(parts, fmt.Sprintf("%s %s", english.Thousands(under[name]), name))
		}
	}
	if all == 0 {
		return ""
	}
	if more := len(names) - shown; more > 0 {
		parts = append(parts, "and "+count(more, "other name"))
	}
	return fmt.Sprintf("Redacted in %s: %s (%s)", itOrThem(len(files)), count(all, "value"), strings.Join(parts, ", "))
}

// countRedacted counts the redacted values of an interaction by what is beside them: the name of a
// header, a parameter or a field; what stands in other texts together.
func countRedacted(under map[string]int, it *interaction.Interaction) {
	const texts = "in texts"
	add := func(name, text string) {
		if n := redact.CountPlaceholders(text); n > 0 {
			under[cmp.Or(name, texts)] += n
		}
	}
	for _, headers := range []interaction.Headers{it.Request.Headers, it.Response.Headers} {
		for _, h := range headers {
			add(h.Name, strings.Join(h.Values, "\n"))
		}
	}
	address, query, _ := strings.Cut(it.Request.URL, "?")
	add("in URLs", address)
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		add(name, value)
	}
	body := func(data string) {
		v, err := exactjson.Parse(data)
		if err != nil {
			add("", data)
			return
		}
		var walk func(v *exactjson.Value, name string)
		walk = func(v *exactjson.Value, name string) {
			if v.Kind == exactjson.String {
				if strings.ContainsAny(v.Text, " \n") { // a placeholder within a sentence
					name = ""
				}
				add(name, v.Text)
			}
			for i := range v.Elems {
				walk(&v.Elems[i], cmp.Or(v.Elems[i].Name, name))
			}
		}
		walk(&v, "")
	}
	body(string(it.Request.Body))
	for payload := range it.Response.Payloads() {
		body(payload)
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
