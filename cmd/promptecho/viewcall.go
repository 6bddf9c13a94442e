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
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// callOf returns an interaction for the page, in the words of show.
func callOf(
	e *conversation.Exchange, it *interaction.Interaction, depth int, path string, omits headlineOmits,
) *page.Call {
	const maxDepth = 3 // page.css indents no further
	head := headline(e, omits)
	c := &page.Call{
		Number: e.Number,
		Depth:  min(depth, maxDepth),
		Name:   head[0],
		About:  head[1:],
		Took:   duration(e.TotalMS),
		End:    strings.Join(e.Answer.Finish, " "),
		Input:  e.InputTokens,
		Output: e.OutputTokens,
	}
	if status := e.Answer.Status; status >= 400 {
		c.End = fmt.Sprintf("status %d", status)
	}
	messages := e.Messages
	if r := e.Repeats; r != nil {
		c.Of = r.Of
		c.Folded = folded(r)
		messages = messages[r.Messages:]
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
		parts := []page.Part{bodyOf(e.Body)}
		c.Messages = append(c.Messages, page.Message{Role: bodyName(e), Class: "prompt", Parts: parts})
	}
	c.Plot = plotOf(it, e)
	showsTime := c.Plot != nil && c.Plot.Ticks != ""
	if e.Session != nil {
		c.Messages = append(c.Messages, sessionMessagesOf(e)...)
	} else {
		c.Messages = append(c.Messages, answerOf(e, !showsTime))
	}
	c.Raw = rawOf(it, fmt.Sprintf("%s %d", shell.Quote(path), e.Number))
	return c
}

// answerOf returns the answer to a request and, if withTime is set, how long it took.
func answerOf(e *conversation.Exchange, withTime bool) page.Message {
	m := page.Message{
		Role:  answerName(e),
		Class: "answer",
		About: answerAbout(e, withTime),
		Parts: partsOf(e.Answer.Parts),
	}
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

// sessionMessagesOf returns the messages of a session for the page, and how it ended.
func sessionMessagesOf(e *conversation.Exchange) (list []page.Message) {
	messages := e.Session.Messages
	left := 0
	if len(messages) > maxSessionMessages {
		left = len(messages) - maxSessionMessages
		messages = messages[:maxSessionMessages]
	}
	for i := range messages {
		m := &messages[i]
		shown := page.Message{Role: senderOf(e.Session, m), Class: "answer", About: messageAbout(e.Session, m)}
		if m.Sent {
			shown.Class = "prompt"
		}
		switch {
		case len(m.Parts) > 0:
			shown.Parts = partsOf(m.Parts)
		case m.Text != "":
			shown.Parts = []page.Part{{Kind: conversation.Text, Text: m.Text}}
		case m.Body != "" && !isOnlyType(m):
			shown.Parts = []page.Part{bodyOf(m.Body)}
		}
		list = append(list, shown)
	}
	end := e.Session.Ended
	if left > 0 {
		end = fmt.Sprintf("%s more are not on this page: promptecho show -full has them; %s",
			count(left, "message"), end)
	}
	return append(list, page.Message{
		Role:  "session",
		Class: "answer",
		About: sessionAbout(e),
		Parts: []page.Part{{Kind: "note", Text: end}},
	})
}

// bodyOf returns a part with a body, which may be JSON.
func bodyOf(body string) page.Part { return page.Part{Kind: "json", Text: readable(body)} }

// maxMedia is the largest size in bytes of a picture or a sound that is on the page.
const maxMedia = 4 << 20

// partsOf returns the parts of a message for the page. A picture or a sound of more than maxMedia
// bytes is left out; the text of its part is not.
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
		if len(p.Data) <= maxMedia {
			part.Type = p.Type
			part.Data = p.Data
		}
		list = append(list, part)
	}
	return list
}

// plotOf returns the drawing of how the events of a stream arrived; nil if the answer is not a
// stream of two or more events.
func plotOf(it *interaction.Interaction, e *conversation.Exchange) *page.Plot {
	if e.Answer.Stream == "" || e.Answer.Events < 2 {
		return nil
	}
	_, ends, err := storedBody(&it.Response)
	if err != nil { // a later version of promptecho has recorded a framing that this one does not know
		return nil
	}
	arrived := conversation.Arrivals(it)
	p := page.NewPlot(arrived, ends, e.TotalMS)
	p.First = duration(e.FirstMS)
	p.Last = duration(e.TotalMS)
	p.Caption = fmt.Sprintf("%s in %s", count(ends[len(ends)-1], "byte"), count(len(arrived), "event"))
	if p.Ticks != "" {
		lastEvent := duration(arrived[len(arrived)-1])
		p.Caption += fmt.Sprintf(", the first after %s, the last after %s", p.First, lastEvent)
	}

	var b strings.Builder
	start := 0
	for i, ms := range arrived {
		size := count(ends[i]-start, "byte")
		fmt.Fprintf(&b, "%4d  %8s  %8s\n", i+1, english.Thousands(ms)+" ms", size)
		start = ends[i]
	}
	p.Events = b.String()
	return p
}

// maxRaw is the largest size in bytes of a body that is on the page as it is stored.
const maxRaw = 16 << 10

// rawOf returns the request and the answer of an interaction as they are stored. arguments are those
// with which promptecho show prints the interaction.
func rawOf(it *interaction.Interaction, arguments string) (list []page.Field) {
	command := "promptecho show -raw -request " + arguments
	list = append(list, page.Field{
		Name: "Request as it is stored",
		Text: rawText(it.Request.String(), it.Request.Headers, it.Request.Body, command),
	})
	body, _, err := storedBody(&it.Response)
	if err != nil {
		return list
	}
	status := ""
	if it.Response.Status > 0 {
		status = fmt.Sprintf("status %d", it.Response.Status)
	}
	command = "promptecho show -raw " + arguments
	return append(list, page.Field{
		Name: "Answer as it is stored",
		Text: rawText(status, it.Response.Headers, body, command),
	})
}

// rawText returns a message of HTTP as text. In place of a body that is not text or too long, it
// has the command that prints the body.
func rawText(firstLine string, headers interaction.Headers, body []byte, command string) string {
	text := redact.OneLine(firstLine) + "\n"
	for _, h := range headers {
		for _, value := range h.Values {
			text += redact.OneLine(h.Name+": "+value) + "\n"
		}
	}
	text += "\n"
	size := count(len(body), "byte")
	switch {
	case !utf8.Valid(body):
		text += fmt.Sprintf("(%s that are not text: %s)", size, command)
	case len(body) > maxRaw:
		text += fmt.Sprintf("%s\n\n(%s in all: %s)", clip(string(body), maxRaw), size, command)
	default:
		text += string(body)
	}
	return strings.TrimRight(text, "\n")
}

// comparisonOf returns a difference for the page, in the words of diff. path is that of the cassette
// with which the page shows it.
func comparisonOf(name, path string, d *difference) *page.Comparison {
	c := &page.Comparison{
		Name:  name,
		Old:   orNone(d.Old, "nothing"),
		New:   orNone(d.New, "nothing"),
		Of:    path,
		Total: orNone(d.problem, d.summaryLine()),
	}
	if path != "" {
		c.Folder = packageOf(path)
	}
	if len(d.Env) > 0 {
		env := &page.Change{Is: "changed", Name: "environment", Edits: editsOf(d.Env)}
		c.Changes = append(c.Changes, env)
	}
	for i := range d.Calls {
		call := &d.Calls[i]
		change := &page.Change{
			Is:     call.Is,
			Number: cmp.Or(call.New, call.Old),
			Name:   fmt.Sprintf("%s, line %d", call.Request, call.Line),
			Edits:  editsOf(call.Edits),
		}
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
		old, fresh := markedValues(e.Old, e.New)
		list = append(list, page.Edit{Name: fieldName(e), Old: old, New: fresh})
	}
	return list
}

// markedValues returns an old and a new value of a field with marks at what differs: at the words
// that differ, if both are texts that have enough in common, and else at all of them.
func markedValues(old, fresh string) (before, after []page.Mark) {
	oldText, isOldText := exactjson.Unquote(old)
	newText, isNewText := exactjson.Unquote(fresh)
	if isOldText && isNewText {
		pieces, ok := wordPieces(oldText, newText)
		if ok {
			return marksOf(pieces)
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

// marksOf returns the pieces of an old and of a new text.
func marksOf(pieces []diffmatchpatch.Diff) (old, fresh []page.Mark) {
	for _, d := range pieces {
		mark := page.Mark{Text: d.Text, Changed: d.Type != diffmatchpatch.DiffEqual}
		if d.Type != diffmatchpatch.DiffInsert {
			old = append(old, mark)
		}
		if d.Type != diffmatchpatch.DiffDelete {
			fresh = append(fresh, mark)
		}
	}
	return old, fresh
}
