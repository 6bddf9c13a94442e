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

// A difference has what differs between two versions of a cassette.
type difference struct {
	Old   string         `json:"old"` // the name of the old version; empty if there is none
	New   string         `json:"new"` // the name of the new version; empty if there is none
	Env   []changes.Edit `json:"env,omitempty"`
	Calls []callDiff     `json:"calls"`
	Total usageDiff      `json:"usage"`
	Same  int            `json:"unchanged"` // the number of unchanged interactions

	problem string // why they cannot be compared
	deleted string // the path of the cassette if it was deleted
}

// A callDiff is an interaction that was changed, added or removed.
type callDiff struct {
	Is       string         `json:"is"`              // changed, added or removed
	Code     finding.Code   `json:"code"`            // the same as a code
	Old      int            `json:"old,omitempty"`   // the number in the old cassette, from 1
	New      int            `json:"new,omitempty"`   // the number in the new cassette, from 1
	Request  string         `json:"request"`         // the endpoint, or the request
	Asked    string         `json:"asked,omitempty"` // the beginning of the last message
	Line     int            `json:"line"`            // in the new cassette, or in the old one if it was removed
	Edits    []changes.Edit `json:"edits,omitempty"`
	Repeated int            `json:"repeated,omitempty"` // edits that an earlier call has, too
}

// A usageDiff has the tokens and the cost before and after.
type usageDiff struct {
	OldInput  int64    `json:"old_input_tokens"`
	OldOutput int64    `json:"old_output_tokens"`
	NewInput  int64    `json:"new_input_tokens"`
	NewOutput int64    `json:"new_output_tokens"`
	OldUSD    *float64 `json:"old_usd,omitempty"` // nil if it is unknown
	NewUSD    *float64 `json:"new_usd,omitempty"` // nil if it is unknown

	oldCost, newCost cost
}

// newUsageDiff returns the tokens and the cost of two versions of a cassette.
func newUsageDiff(old, fresh []*interaction.Interaction) usageDiff {
	oldTokens := tokensOf(old)
	newTokens := tokensOf(fresh)
	u := usageDiff{
		OldInput:  oldTokens.InputTokens,
		OldOutput: oldTokens.OutputTokens,
		NewInput:  newTokens.InputTokens,
		NewOutput: newTokens.OutputTokens,
		oldCost:   costOf(old),
		newCost:   costOf(fresh),
	}
	u.OldUSD = u.oldCost.json()
	u.NewUSD = u.newCost.json()
	return u
}

// add adds the tokens and the cost of a cassette.
func (u *usageDiff) add(o usageDiff) {
	u.OldInput += o.OldInput
	u.OldOutput += o.OldOutput
	u.NewInput += o.NewInput
	u.NewOutput += o.NewOutput
	u.oldCost.add(o.oldCost)
	u.newCost.add(o.newCost)
}

// String says how the tokens and the cost have changed; "" if they have not:
// "tokens 1,200 -> 900 in, 34 -> 30 out, cost $0.0012 -> $0.0009". The cost is left out if it is
// unknown.
func (u usageDiff) String() string {
	var parts []string
	if u.OldInput != u.NewInput || u.OldOutput != u.NewOutput {
		parts = append(parts, fmt.Sprintf("tokens %s -> %s in, %s -> %s out",
			english.Thousands(u.OldInput), english.Thousands(u.NewInput),
			english.Thousands(u.OldOutput), english.Thousands(u.NewOutput)))
	}
	isKnown := !u.oldCost.isUnknown && !u.newCost.isUnknown
	if isKnown && u.oldCost.String() != u.newCost.String() {
		parts = append(parts, fmt.Sprintf("cost %s -> %s", u.oldCost, u.newCost))
	}
	return strings.Join(parts, ", ")
}

// compareDeleted returns the difference of a cassette that was deleted since a revision.
func compareDeleted(file, revision string, old *cassette.File) *difference {
	d := compare(file+" ("+revision+")", "", old, &cassette.File{})
	d.deleted = file
	return d
}

// compare compares two versions of a cassette.
func compare(oldName, newName string, old, fresh *cassette.File) *difference {
	d := &difference{
		Old:   oldName,
		New:   newName,
		Env:   changes.Env(old.RecordedValues.Env, fresh.RecordedValues.Env),
		Calls: []callDiff{},
		Total: newUsageDiff(old.Interactions, fresh.Interactions),
		Same:  len(fresh.Interactions),
	}

	var its []*interaction.Interaction // of the calls
	for _, c := range changes.Between(old.Interactions, fresh.Interactions) {
		call := callDiff{Old: c.Old, New: c.New, Edits: c.Edits, Repeated: c.Repeated}
		var it *interaction.Interaction
		switch {
		case c.New == 0:
			call.Is = "removed"
			call.Code = finding.RecordingRemoved
			it = old.Interactions[c.Old-1]
		case c.Old == 0:
			call.Is = "added"
			call.Code = finding.RecordingAdded
			it = fresh.Interactions[c.New-1]
		default:
			call.Is = "changed"
			call.Code = finding.RecordingChanged
			it = fresh.Interactions[c.New-1]
		}
		if c.New > 0 {
			d.Same--
		}
		call.Line = it.Line
		d.Calls = append(d.Calls, call)
		its = append(its, it)
	}
	changes.InParallel(len(its), func(i int) {
		e := conversation.ReadRequest(its[i])
		d.Calls[i].Request = requestName(e)
		d.Calls[i].Asked = lastMessage(e)
	})
	return d
}

// requestName returns the endpoint and the model of a call to a model, or the name of any other
// request.
func requestName(e *conversation.Exchange) string {
	switch {
	case e.Title != "":
		return callName(e)
	case e.Kind == "llm" && e.Model != "":
		return e.Call + ", model " + e.Model
	case e.Kind == "llm":
		return e.Call
	}
	return e.Request
}

// lastMessage returns the beginning of the last message of a request or, if it has none, of its
// body, in one line.
func lastMessage(e *conversation.Exchange) string {
	text := e.Body
	if n := len(e.Messages); n > 0 {
		last := e.Messages[n-1]
		text = last.Role + ":"
		for _, part := range last.Parts {
			text += " " + strings.TrimSpace(part.Name+" "+part.Args+part.Text)
		}
	}
	const maxLength = 100
	var words []string
	for word := range strings.FieldsSeq(text) {
		words = append(words, word)
		if len(words) > maxLength {
			break // each word has one character or more
		}
	}
	return clip(strings.Join(words, " "), maxLength)
}

// difference prints what differs between two versions of a cassette.
func (p *printer) difference(d *difference) { p.differenceWithSummary(d, d.summaryLine()) }

// differenceWithSummary prints a difference. Edits that were printed before may have been removed
// from d; summary is the summary line of the whole difference.
func (p *printer) differenceWithSummary(d *difference, summary string) {
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
			p.line(0, green, "+ #%d %s", c.New, c.about())
		case "removed":
			p.line(0, red, "- #%d %s", c.Old, c.about())
		default:
			p.changedCall(c)
		}
	}
	p.line(0, dim, "%s", summary)
}

// summaryLine says how many calls differ, and how the tokens and the cost have changed:
// "1 changed, 2 added, 5 unchanged, tokens 1,200 -> 900 in, 34 -> 30 out".
func (d *difference) summaryLine() string {
	counts := map[string]int{} // by callDiff.Is
	for _, c := range d.Calls {
		counts[c.Is]++
	}
	var parts []string
	for _, is := range []string{"changed", "added", "removed"} {
		if counts[is] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[is], is))
		}
	}
	parts = append(parts, fmt.Sprintf("%d unchanged", d.Same))
	if text := d.Total.String(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// changedCall prints a call that was changed.
func (p *printer) changedCall(c callDiff) {
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
	old := orNone(e.Old, "(none)")
	fresh := orNone(e.New, "(none)")
	if isShort(old) && isShort(fresh) {
		p.pair(indent, fieldName(e), old, fresh)
		return
	}
	p.line(indent, "", "%s", fieldName(e))
	p.edit(indent+2, e.Old, e.New)
}

// pair prints two short values of a field.
func (p *printer) pair(indent int, name, old, fresh string) {
	name = redact.OneLine(name)
	old = p.paint(red, redact.OneLine(old))
	fresh = p.paint(green, redact.OneLine(fresh))
	p.write(strings.Repeat(" ", indent) + name + ": " + old + " -> " + fresh + "\n")
}

// fieldName returns the name of the field of an edit.
func fieldName(e changes.Edit) string {
	name := e.In + " " + e.Path
	if e.Note != "" {
		name += " (" + e.Note + ")"
	}
	return name
}

// about describes a call that was added or removed.
func (c *callDiff) about() string {
	text := fmt.Sprintf("%s, line %d", c.Request, c.Line)
	if c.Asked != "" {
		text += ": " + c.Asked
	}
	return text
}

// isShort reports whether a value fits into a line with another one: a name or a number, but no
// text of several words, list or object.
func isShort(value string) bool {
	const maxLength = 40
	if value == "(none)" {
		return true
	}
	isCompound := strings.ContainsAny(value, " [{")
	hasLineBreak := strings.Contains(value, `\n`)
	return len(value) <= maxLength && !isCompound && !hasLineBreak
}

// edit prints the old and the new value of a field, both long. Two texts that have enough in common
// become one text with marks around the words that differ. Other values are printed one below the
// other.
func (p *printer) edit(indent int, old, fresh string) {
	oldText, isOldText := exactjson.Unquote(old)
	newText, isNewText := exactjson.Unquote(fresh)
	if isOldText && isNewText {
		text, ok := wordDiff(oldText, newText)
		if ok {
			p.marked(indent, text)
			return
		}
	}
	sides := []struct{ colour, mark, value string }{
		{red, "- ", old},
		{green, "+ ", fresh},
	}
	for _, side := range sides {
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
