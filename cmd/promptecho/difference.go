package main

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/changes"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A difference is what diff says of one cassette.
type difference struct {
	Old   string         `json:"old"` // the names of the two; empty if there is none
	New   string         `json:"new"`
	Env   []changes.Edit `json:"env,omitempty"` // the variables that the test is given
	Calls []callDiff     `json:"calls"`
	Total usageDiff      `json:"usage"`
	Same  int            `json:"unchanged"` // so many interactions

	problem string // why they cannot be compared
	deleted string // the path that New had, if the cassette is deleted
}

// A callDiff is what became of one interaction.
type callDiff struct {
	Is       string         `json:"is"`            // changed, added or removed
	Code     finding.Code   `json:"code"`          // the same
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

// add adds the tokens of a cassette.
func (u *usageDiff) add(o usageDiff) {
	u.OldInput, u.OldOutput = u.OldInput+o.OldInput, u.OldOutput+o.OldOutput
	u.NewInput, u.NewOutput = u.NewInput+o.NewInput, u.NewOutput+o.NewOutput
}

// String says how the tokens have changed; "" if they have not.
func (u usageDiff) String() string {
	if u.OldInput == u.NewInput && u.OldOutput == u.NewOutput {
		return ""
	}
	return fmt.Sprintf("tokens %s -> %s in, %s -> %s out", english.Thousands(u.OldInput), english.Thousands(u.NewInput), english.Thousands(u.OldOutput), english.Thousands(u.NewOutput))
}

// compareDeleted compares a cassette of a revision with nothing.
func compareDeleted(file, revision string, old *cassette.File) *difference {
	d := compare(file+" ("+revision+")", "", old, &cassette.File{})
	d.deleted = file
	return d
}

// compare compares two cassettes, which have these names.
func compare(oldName, newName string, old, fresh *cassette.File) *difference {
	d := &difference{Old: oldName, New: newName, Calls: []callDiff{}, Same: len(fresh.Interactions)}
	was, is := tokensOf(old.Interactions), tokensOf(fresh.Interactions)
	d.Total.OldInput, d.Total.OldOutput = was.InputTokens, was.OutputTokens
	d.Total.NewInput, d.Total.NewOutput = is.InputTokens, is.OutputTokens
	d.Env = changes.Env(old.Given.Env, fresh.Given.Env)
	var its []*interaction.Interaction // what the calls ask
	for _, c := range changes.Between(old.Interactions, fresh.Interactions) {
		call := callDiff{Is: "changed", Code: finding.RecordingChanged, Old: c.Old, New: c.New, Edits: c.Edits, Repeated: c.Repeated}
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
			call.Code = finding.RecordingRemoved
		case c.Old == 0:
			call.Is = "added"
			call.Code = finding.RecordingAdded
		}
		call.Line = it.Line
		d.Calls, its = append(d.Calls, call), append(its, it)
	}
	changes.InParallel(len(its), func(i int) { d.Calls[i].Request, d.Calls[i].Asked = about(its[i]) })
	return d
}

// about says what an interaction asks: the endpoint and the model, and what was said last.
func about(it *interaction.Interaction) (request, asked string) {
	e := conversation.ReadRequest(it)
	request = e.Request
	if e.Kind == "llm" {
		request = e.Call
		if e.Model != "" {
			request += ", model " + e.Model
		}
	}
	if e.Title != "" {
		request = callName(e)
	}
	asked = e.Body
	if n := len(e.Messages); n > 0 {
		asked = e.Messages[n-1].Role + ":"
		for _, part := range e.Messages[n-1].Parts {
			asked += " " + strings.TrimSpace(part.Name+" "+part.Args+part.Text)
		}
	}
	const most = 100
	var words []string
	for word := range strings.FieldsSeq(asked) {
		words = append(words, word)
		if len(words) > most {
			break
		}
	}
	return request, clip(strings.Join(words, " "), most)
}

// difference prints what differs between two cassettes.
func (p *printer) difference(d *difference) { p.compared(d, d.sum()) }

// compared prints what is to be told of a difference, and its sum.
func (p *printer) compared(d *difference, sum string) {
	switch {
	case d.Old == "":
		p.line(0, bold, "%s: new", d.New)
	case d.New == "":
		p.line(0, bold, "%s: deleted", d.Old)
	default:
		p.line(0, bold, "%s -> %s", d.Old, d.New)
	}
	for _, e := range d.Env {
		p.pair(2, "env "+e.Path, orNone(e.Old, "(none)"), orNone(e.New, "(none)"))
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
	p.line(0, dim, "%s", sum)
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
	if text := d.Total.String(); text != "" {
		parts = append(parts, text)
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
		p.field(4, e)
	}
}

// field prints what differs in a field.
func (p *printer) field(indent int, e changes.Edit) {
	if old, fresh := orNone(e.Old, "(none)"), orNone(e.New, "(none)"); short(old) && short(fresh) {
		p.pair(indent, fieldName(e), old, fresh)
		return
	}
	p.line(indent, "", "%s", fieldName(e))
	p.edit(indent+2, e.Old, e.New)
}

// pair prints two short values of a field.
func (p *printer) pair(indent int, name, old, fresh string) {
	name, old, fresh = redact.OneLine(name), redact.OneLine(old), redact.OneLine(fresh)
	p.write(strings.Repeat(" ", indent) + name + ": " + p.paint(red, old) + " -> " + p.paint(green, fresh) + "\n")
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
			p.marked(indent, text)
			return
		}
	}
	for _, side := range []struct{ colour, mark, value string }{{red, "- ", old}, {green, "+ ", fresh}} {
		if side.value == "" {
			continue
		}
		text, isText := exactjson.Unquote(side.value)
		if !isText {
			text = readable(side.value)
		}
		text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
		p.coloured(indent, side.colour, side.mark+text)
	}
}
