package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/changes"
	"github.com/promptecho/promptecho/internal/conversation"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

const diffHelp = `diff [-git REF] [-full] [-json] [PATH ...]
compare cassettes by meaning: with git, or two with each other

  promptecho diff                    all cassettes below "." with git's HEAD
  promptecho diff -git main~3 PATH   cassettes with another revision
  promptecho diff OLD NEW            two cassettes, such as NAME.yaml and
                                     NAME.derived.yaml or NAME.yaml.failed

It shows what changed in prompts, tools, answers and usage. Ids, times and
latencies are left out, and so is what a later turn repeats. [-...-] is only in
the old cassette, {+...+} only in the new one.

  -git REF   compare with this revision; the default is HEAD
  -full      long texts whole
  -json      print a list with an object for each cassette that changed

The exit status is 1 if something differs.
`

// A difference is what diff says of one cassette.
type difference struct {
	Old   string         `json:"old"` // the names of the two; empty if there is none
	New   string         `json:"new"`
	Env   []changes.Edit `json:"env,omitempty"` // the variables that the test is given
	Calls []callDiff     `json:"calls"`
	Total usageDiff      `json:"usage"`
	Same  int            `json:"unchanged"` // so many interactions

	problem string // why they cannot be compared
}

// A callDiff is what became of one interaction.
type callDiff struct {
	Is       string         `json:"is"`            // changed, added or removed
	Old      int            `json:"old,omitempty"` // its numbers, counted from 1
	New      int            `json:"new,omitempty"`
	Request  string         `json:"request"` // the endpoint, or the request
	Asked    string         `json:"asked,omitempty"`
	Line     int            `json:"line"` // in the new cassette, or in the old one if it was removed
	Edits    []changes.Edit `json:"edits,omitempty"`
	Repeated int            `json:"repeated,omitempty"` // edits that an earlier call has, too
}

// A usageDiff has the tokens before and after.
type usageDiff struct {
	OldInput  int64 `json:"old_input_tokens"`
	OldOutput int64 `json:"old_output_tokens"`
	NewInput  int64 `json:"new_input_tokens"`
	NewOutput int64 `json:"new_output_tokens"`
}

// runDiff compares cassettes.
func runDiff(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	ref := flags.String("git", "", "")
	full, asJSON := flags.Bool("full", false, ""), flags.Bool("json", false, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	var list []*difference
	if *ref == "" && len(paths) == 2 {
		list, err = diffTwo(paths[0], paths[1])
	} else {
		list, err = diffGit(cmp.Or(*ref, "HEAD"), paths, stderr)
	}
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d *difference) bool { return len(d.Calls)+len(d.Env) == 0 && d.Old != "" && d.New != "" })
	if *asJSON {
		if list == nil {
			list = []*difference{}
		}
		err = printJSON(stdout, list)
	} else {
		p := newPrinter(stdout, *full)
		for i, d := range list {
			if i > 0 {
				p.write("\n")
			}
			p.difference(d)
		}
		err = p.err
	}
	if err == nil && len(list) > 0 {
		err = found("")
	}
	return err
}

// diffTwo compares two files.
func diffTwo(old, fresh string) ([]*difference, error) {
	var files [2]*cassette.File
	for i, path := range []string{old, fresh} {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: two cassettes are compared, or folders with git (-git HEAD)", path)
		}
		f, err := load(path)
		if err != nil {
			return nil, err
		}
		files[i] = f
	}
	return []*difference{compare(old, fresh, files[0], files[1])}, nil
}

// diffGit compares cassettes with a revision.
func diffGit(ref string, paths []string, stderr io.Writer) (list []*difference, err error) {
	changed, unknown, err := changedAt(ref, paths)
	if err != nil {
		return nil, err
	}
	files := append(changed, unknown...)
	slices.Sort(files)
	files = slices.Compact(files)
	p := newProgress(stderr)
	defer p.end()
	for i, file := range files {
		p.step(i, len(files))
		d, err := diffRevision(ref, file, slices.Contains(paths, file))
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, d)
		}
	}
	return list, nil
}

// changedAt returns the files at paths, "." if there are none, that may differ from a
// revision, and those that git does not know yet. What is no folder may differ.
func changedAt(ref string, paths []string) (changed, unknown []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			changed = append(changed, path)
			continue
		}
		more, fresh, err := changedSince(ref, path)
		if err != nil {
			return nil, nil, err
		}
		changed, unknown = append(changed, more...), append(unknown, fresh...)
	}
	return changed, unknown, nil
}

// diffRevision compares a file with a revision; nil if it is no cassette, which is an error
// if it was named.
func diffRevision(ref, file string, named bool) (*difference, error) {
	old, errOld := loadRevision(ref, file)
	ours, errNew := looksLikeCassette(file)
	var syntax *cassette.SyntaxError
	switch {
	case !ours && !named && (errNew == nil && errOld != nil || errors.As(errOld, &syntax)):
		return nil, nil
	case errOld != nil && !errors.Is(errOld, errNotInGit):
		return nil, errOld
	case errNew != nil && !errors.Is(errNew, fs.ErrNotExist), errNew != nil && errOld != nil:
		return nil, errNew
	case errNew != nil:
		return compare(file+" ("+ref+")", "", old, &cassette.File{}), nil
	}
	fresh, err := load(file)
	switch {
	case err != nil:
		return nil, err
	case errOld != nil:
		return compare("", file, &cassette.File{}, fresh), nil
	}
	return compare(file+" ("+ref+")", file, old, fresh), nil
}

// compare compares two cassettes, which have these names.
func compare(oldName, newName string, old, fresh *cassette.File) *difference {
	d := &difference{Old: oldName, New: newName, Calls: []callDiff{}, Same: len(fresh.Interactions)}
	was, is := tokensOf(old.Interactions), tokensOf(fresh.Interactions)
	d.Total.OldInput, d.Total.OldOutput = was.InputTokens, was.OutputTokens
	d.Total.NewInput, d.Total.NewOutput = is.InputTokens, is.OutputTokens
	d.Env = changes.Env(old.Given.Env, fresh.Given.Env)
	for _, c := range changes.Between(old.Interactions, fresh.Interactions) {
		call := callDiff{Is: "changed", Old: c.Old, New: c.New, Edits: c.Edits, Repeated: c.Repeated}
		var it *interaction.Interaction
		if c.New > 0 {
			it = fresh.Interactions[c.New-1]
			d.Same--
		} else {
			it = old.Interactions[c.Old-1]
		}
		switch {
		case c.New == 0:
			call.Is = "removed"
		case c.Old == 0:
			call.Is = "added"
		}
		call.Request, call.Asked = about(it)
		call.Line = it.Line
		d.Calls = append(d.Calls, call)
	}
	return d
}

// about says what an interaction asks: the endpoint and the model, and what was said last.
func about(it *interaction.Interaction) (request, asked string) {
	e := conversation.Read([]*interaction.Interaction{it})[0]
	request = e.Request
	if e.Kind == "llm" {
		request = e.Boundary
		if e.Model != "" {
			request += ", model " + e.Model
		}
	}
	asked = e.Body
	if n := len(e.Messages); n > 0 {
		asked = e.Messages[n-1].Role + ":"
		for _, part := range e.Messages[n-1].Parts {
			asked += " " + strings.TrimSpace(part.Name+" "+part.Args+part.Text)
		}
	}
	return request, clip(strings.Join(strings.Fields(asked), " "), 100)
}

// difference prints what differs between two cassettes.
func (p *printer) difference(d *difference) {
	switch {
	case d.Old == "":
		p.line(0, bold, "%s: new", d.New)
	case d.New == "":
		p.line(0, bold, "%s: deleted", d.Old)
	default:
		p.line(0, bold, "%s -> %s", d.Old, d.New)
	}
	for _, e := range d.Env {
		p.line(2, "", "env %s: %s -> %s", e.Path, orNone(e.Old, "(none)"), orNone(e.New, "(none)"))
	}
	for _, c := range d.Calls {
		switch c.Is {
		case "added":
			p.line(0, green, "+ #%d %s", c.New, c.whole())
		case "removed":
			p.line(0, red, "- #%d %s", c.Old, c.whole())
		default:
			p.changed(c)
		}
	}
	p.line(0, "", "%s", d.sum())
}

// sum says how much differs.
func (d *difference) sum() string {
	number := map[string]int{}
	for _, c := range d.Calls {
		number[c.Is]++
	}
	var parts []string
	for _, is := range []string{"changed", "added", "removed"} {
		if number[is] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", number[is], is))
		}
	}
	parts = append(parts, fmt.Sprintf("%d unchanged", d.Same))
	t := d.Total
	if t.OldInput != t.NewInput || t.OldOutput != t.NewOutput {
		parts = append(parts, fmt.Sprintf("tokens %s -> %s in, %s -> %s out", thousands(t.OldInput), thousands(t.NewInput), thousands(t.OldOutput), thousands(t.NewOutput)))
	}
	return strings.Join(parts, ", ")
}

// changed prints what differs in one interaction.
func (p *printer) changed(c callDiff) {
	was := ""
	if c.Old != c.New {
		was = fmt.Sprintf(" (was #%d)", c.Old)
	}
	p.line(0, bold, "~ #%d%s %s, line %d", c.New, was, c.Request, c.Line)
	if c.Repeated > 0 {
		p.line(4, dim, "(%s as above)", count(c.Repeated, "change"))
	}
	for _, e := range c.Edits {
		name := fieldName(e)
		if old, fresh := orNone(e.Old, "(none)"), orNone(e.New, "(none)"); short(old) && short(fresh) {
			p.line(4, "", "%s: %s -> %s", name, old, fresh)
			continue
		}
		p.line(4, "", "%s", name)
		p.edit(6, e.Old, e.New)
	}
}

// fieldName says which field an edit is of.
func fieldName(e changes.Edit) string {
	name := e.In + " " + e.Path
	if e.Note != "" {
		name += " (" + e.Note + ")"
	}
	return name
}

// whole says what was added or removed.
func (c *callDiff) whole() string {
	text := fmt.Sprintf("%s, line %d", c.Request, c.Line)
	if c.Asked != "" {
		text += ": " + c.Asked
	}
	return text
}

// short reports whether a value is one that is read as a whole: a name, a number.
func short(value string) bool {
	const most = 40
	return len(value) <= most && (value == "(none)" || !strings.ContainsAny(value, " [{")) && !strings.Contains(value, `\n`)
}

// edit prints two values of a field, or the words that differ.
func (p *printer) edit(indent int, old, fresh string) {
	oldText, ok1 := exactjson.Unquote(old)
	newText, ok2 := exactjson.Unquote(fresh)
	if ok1 && ok2 {
		if text, ok := wordDiff(oldText, newText); ok {
			p.text(indent, text)
			return
		}
	}
	for _, side := range []struct{ mark, value string }{{"- ", old}, {"+ ", fresh}} {
		if side.value == "" {
			continue
		}
		text, isText := exactjson.Unquote(side.value)
		if !isText {
			text = readable(side.value)
		}
		text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
		p.text(indent, side.mark+text)
	}
}
