package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/changes"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/page"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// callOf returns an interaction for the page, in the words of show. Its headline
// has nothing that is told already.
func callOf(
	e *conversation.Exchange, it *interaction.Interaction, depth int, path string, told headlineTold,
) *page.Call {
	name := headline(e, told)
	c := &page.Call{Number: e.Number, Depth: min(depth, 3), Name: name[0], About: name[1:], Took: duration(e.TotalMS), End: strings.Join(e.Answer.Finish, " "), Input: e.InputTokens, Output: e.OutputTokens}
	if status := e.Answer.Status; status >= 400 {
		c.End = fmt.Sprintf("status %d", status)
	}
	messages := e.Messages
	if r := e.Repeats; r != nil {
		c.Of, c.Folded, messages = r.Of, folded(r), messages[r.Messages:]
	}
	if e.Repeats == nil || !e.Repeats.Tools {
		for _, t := range e.Tools {
			c.Tools = append(c.Tools, page.Field{Name: toolList([]conversation.Tool{t}), Text: t.Description})
		}
	}
	if e.Repeats == nil || !e.Repeats.Settings {
		for _, s := range e.Settings {
			c.Settings = append(c.Settings, page.Field{Name: s.Name, Text: readable(s.Value)})
		}
	}
	for _, m := range messages {
		c.Messages = append(c.Messages, page.Message{Role: m.Role, Class: "prompt", Parts: partsOf(m.Parts)})
	}
	if e.Body != "" {
		c.Messages = append(c.Messages, page.Message{Role: bodyName(e), Class: "prompt", Parts: []page.Part{bodyOf(e.Body)}})
	}
	c.Plot = plotOf(it, e)
	showsTime := c.Plot != nil && c.Plot.Ticks != ""
	c.Messages = append(c.Messages, answerOf(e, !showsTime))
	c.Raw = rawOf(it, fmt.Sprintf("%s %d", shell.Quote(path), e.Number))
	return c
}

// answerOf returns what came back, with the time that it took if timed is set.
func answerOf(e *conversation.Exchange, timed bool) page.Message {
	m := page.Message{Role: answerName(e), Class: "answer", About: answerAbout(e, timed), Parts: partsOf(e.Answer.Parts)}
	if e.Answer.Body != "" {
		m.Parts = append(m.Parts, bodyOf(e.Answer.Body))
	}
	for _, note := range []string{e.Answer.Error, e.Answer.Broken} {
		if note != "" {
			m.Parts = append(m.Parts, page.Part{Kind: "note", Text: note})
		}
	}
	return m
}

// bodyOf returns a body, which may be JSON.
func bodyOf(body string) page.Part { return page.Part{Kind: "json", Text: readable(body)} }

// mostMedium is how large a picture or a sound may be that is on the page.
const mostMedium = 4 << 20

func partsOf(parts []conversation.Part) (list []page.Part) {
	for _, p := range parts {
		text := p.Text
		switch p.Kind {
		case conversation.Call:
			text = readable(p.Args)
		case conversation.Other:
			text = readable(text)
		}
		part := page.Part{Kind: p.Kind, Name: p.Name, Text: text, Bad: p.Bad}
		if len(p.Data) <= mostMedium {
			part.Type, part.Data = p.Type, p.Data
		}
		list = append(list, part)
	}
	return list
}

// plotOf draws how the events of a stream arrived; nil if there are not several.
func plotOf(it *interaction.Interaction, e *conversation.Exchange) *page.Plot {
	if e.Answer.Stream == "" || e.Answer.Events < 2 { // one event is no course of events
		return nil
	}
	_, ends, err := exchange.Join(&it.Response)
	if err != nil { // a framing of a later version
		return nil
	}
	came := conversation.Arrivals(it)
	p := page.NewPlot(came, ends, e.TotalMS)
	p.First, p.Last = duration(e.FirstMS), duration(e.TotalMS)
	p.Caption = fmt.Sprintf("%s in %s", count(ends[len(ends)-1], "byte"), count(len(came), "event"))
	if p.Ticks != "" {
		p.Caption += fmt.Sprintf(", the first after %s, the last after %s", p.First, duration(came[len(came)-1]))
	}
	var b strings.Builder
	start := 0
	for i, ms := range came {
		fmt.Fprintf(&b, "%4d  %8s  %8s\n", i+1, english.Thousands(ms)+" ms", count(ends[i]-start, "byte"))
		start = ends[i]
	}
	p.Events = b.String()
	return p
}

// mostRaw is how much of a body is on the page as it is stored.
const mostRaw = 16 << 10

// rawOf returns the request and the answer as they are stored, whose names are the
// arguments of show.
func rawOf(it *interaction.Interaction, name string) (list []page.Field) {
	add := func(title, first string, headers interaction.Headers, body []byte, flags string) {
		text := redact.OneLine(first) + "\n"
		for _, h := range headers {
			for _, value := range h.Values {
				text += redact.OneLine(h.Name+": "+value) + "\n"
			}
		}
		text += "\n"
		command := fmt.Sprintf("promptecho show %s %s", flags, name)
		switch {
		case !utf8.Valid(body):
			text += fmt.Sprintf("(%s that are not text: %s)", count(len(body), "byte"), command)
		case len(body) > mostRaw:
			text += clip(string(body), mostRaw) + fmt.Sprintf("\n\n(%s in all: %s)", count(len(body), "byte"), command)
		default:
			text += string(body)
		}
		list = append(list, page.Field{Name: title, Text: strings.TrimRight(text, "\n")})
	}
	add("Request as it is stored", it.Request.String(), it.Request.Headers, it.Request.Body, "-raw -request")
	if body, _, err := exchange.Join(&it.Response); err == nil {
		status := ""
		if it.Response.Status > 0 {
			status = fmt.Sprintf("status %d", it.Response.Status)
		}
		add("Answer as it is stored", status, it.Response.Headers, body, "-raw")
	}
	return list
}

// comparisonOf returns a comparison for the page, in the words of diff, to be shown with
// the cassette at a path.
func comparisonOf(name, path string, d *difference) *page.Comparison {
	c := &page.Comparison{Name: name, Old: orNone(d.Old, "nothing"), New: orNone(d.New, "nothing"), Of: path, Total: orNone(d.problem, d.sum())}
	if path != "" {
		c.Folder = packageOf(path)
	}
	if len(d.Env) > 0 {
		c.Changes = append(c.Changes, &page.Change{Is: "changed", Name: "environment", Edits: editsOf(d.Env)})
	}
	for i := range d.Calls {
		call := &d.Calls[i]
		change := &page.Change{Is: call.Is, Number: cmp.Or(call.New, call.Old), Name: fmt.Sprintf("%s, line %d", call.Request, call.Line), Edits: editsOf(call.Edits)}
		if call.Is != "changed" {
			change.Asked = call.Asked
		}
		if call.Repeated > 0 {
			change.Repeated = count(call.Repeated, "change") + " as above"
		}
		c.Changes = append(c.Changes, change)
	}
	return c
}

func editsOf(edits []changes.Edit) (list []page.Edit) {
	for _, e := range edits {
		old, fresh := sides(e.Old, e.New)
		list = append(list, page.Edit{Name: fieldName(e), Old: old, New: fresh})
	}
	return list
}

// sides returns two values of a field with what differs marked in each: the words, if both
// are texts that have much in common, else all.
func sides(old, fresh string) (before, after []page.Mark) {
	oldText, ok1 := exactjson.Unquote(old)
	newText, ok2 := exactjson.Unquote(fresh)
	if ok1 && ok2 {
		if pieces, ok := wordPieces(oldText, newText); ok {
			for _, d := range pieces {
				mark := page.Mark{Text: d.Text, Changed: d.Type != diffmatchpatch.DiffEqual}
				if d.Type != diffmatchpatch.DiffInsert {
					before = append(before, mark)
				}
				if d.Type != diffmatchpatch.DiffDelete {
					after = append(after, mark)
				}
			}
			return before, after
		}
	}
	side := func(value string) []page.Mark {
		if value == "" {
			return nil
		}
		text, isText := exactjson.Unquote(value)
		if !isText {
			text = readable(value)
		}
		return []page.Mark{{Text: text, Changed: true}}
	}
	return side(old), side(fresh)
}
