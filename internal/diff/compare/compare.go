// Package compare says whether a model still answers as it was recorded. It compares a
// recorded answer with a live one: the status, the calls of tools, why the answer ended,
// the shape of its JSON and the model that answered are judged. Wording is shown and never
// judged. Both answers must be redacted, so that placeholders are equal.
//
// shape.go compares shapes, without what differs by chance; compare.go gives the verdict, and
// says which answers can be compared.
package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Verdict is what comes out of a comparison.
type Verdict string

// The verdicts.
const (
	Identical   Verdict = "identical"    // but for ids, times, fingerprints, latencies and usage
	Benign      Verdict = "benign"       // only texts and numbers differ
	Drift       Verdict = "drift"        // something differs that a program depends on
	NotCompared Verdict = "not compared" // there is no answer, or one that says nothing of the model
	NotSent     Verdict = "not sent"     // there was nothing to compare an answer with
)

// A Result is a verdict with its reasons.
type Result struct {
	Verdict Verdict
	Why     string      // in what an answer drifted, or why there is nothing to compare; else empty
	Edits   []diff.Edit // what differs; if benign, what of that is worth showing
}

// Answers compares a recorded answer to the form's request, which is fit to be compared
// (see [Unfit]), with a live one.
func Answers(form *canon.Form, recorded, live *interaction.Response) Result {
	if why := saysNothing(recorded, live); why != "" {
		return Result{Verdict: NotCompared, Why: why}
	}
	a, b := said.Read(form, recorded), said.Read(form, live)
	edits := diff.Answers(judged(recorded, live, &a), judged(live, recorded, &b))
	why := reasons(edits)
	// An answer of another status, or that calls other tools, has another shape.
	if recorded.Status == live.Status && !slices.ContainsFunc(edits, isOfCalls) {
		if shape := slices.Concat(bodyShape(form, recorded, live, &a, &b), textShape(&a, &b)); len(shape) > 0 {
			edits, why = append(edits, shape...), append(why, "the shape of the JSON")
		}
	}
	if len(edits) > 0 {
		isText := func(e diff.Edit) bool { return strings.HasPrefix(e.Path, "text") }
		if recorded.Status == live.Status && !slices.ContainsFunc(edits, isText) {
			edits = append(edits, diff.Answers(wording(&a), wording(&b))...)
		}
		return Result{Drift, strings.Join(why, ", "), edits}
	}
	edits = values(recorded, live, &a, &b)
	if len(edits) > 0 {
		return Result{Verdict: Benign, Edits: edits}
	}
	if _, isJSON := value(recorded); !isJSON && !bytes.Equal(recorded.Body, live.Body) {
		return Result{Verdict: Benign} // sound, a picture
	}
	return Result{Verdict: Identical}
}

// judged returns what of an answer is judged beside its shape, as the lines of an object with
// sorted names. If the other answer has another status, that is the status and the error.
func judged(resp, other *interaction.Response, says *said.Answer) (lines []canon.Line) {
	if resp.Status != other.Status {
		return append(textLine("error", errorOf(resp)), canon.Line{Path: "status", Value: strconv.Itoa(resp.Status)})
	}
	for i, why := range says.Finish {
		path := "finish_reason"
		if len(says.Finish) > 1 {
			path += "/" + strconv.Itoa(i)
		}
		lines = append(lines, canon.Line{Path: path, Value: quote(why)})
	}
	lines = append(lines, textLine("model", says.Model)...)
	var calls []exactjson.Value
	add := func(c said.Call, member string, wanted exactjson.Value) {
		name := text(c.Name)
		name.Name, wanted.Name = "name", member
		calls = append(calls, exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{name, wanted}})
	}
	for _, c := range says.Calls {
		add(c, "arguments", arguments(c))
	}
	for _, c := range says.Blocks {
		add(c, "block", withoutChance(text(c.Args)))
	}
	inCalls := func(l canon.Line) canon.Line { return canon.Line{Path: "tool_calls/" + l.Path, Value: l.Value} }
	return append(lines, group.Each(canon.Lines(&exactjson.Value{Kind: exactjson.Array, Elems: calls}), inCalls)...)
}

// arguments returns those of a call. What is no JSON is a text, and none at all are an empty
// object, as streams leave them out.
func arguments(c said.Call) exactjson.Value {
	args, err := exactjson.Parse(cmp.Or(c.Args, "{}"))
	if err != nil {
		return text(c.Args)
	}
	return args
}

// isOfCalls reports whether an edit of [judged] is in the calls of tools.
func isOfCalls(e diff.Edit) bool { return topOf(&e) == "tool_calls" }

// topOf returns the first segment of the path of an edit.
func topOf(e *diff.Edit) string {
	top, _, _ := strings.Cut(e.Path, "/")
	return top
}

// reasons names what the edits of [judged] are in, each once.
func reasons(edits []diff.Edit) (names []string) {
	for i := range edits {
		name := topOf(&edits[i])
		switch name {
		case "error":
			continue // it comes with the status
		case "tool_calls":
			name = "tool calls"
		case "finish_reason":
			name = "finish reason"
		}
		names = group.With(names, name)
	}
	return names
}

// values lists what differs although it is not judged: the texts, or, if the answers have
// none that differ, everything else.
func values(recorded, live *interaction.Response, a, b *said.Answer) []diff.Edit {
	edits := diff.Answers(wording(a), wording(b))
	streamed := recorded.Stream != ""
	if len(edits) > 0 || streamed && a.Transcript != "" && slices.Equal(a.Results, b.Results) {
		return edits // other events than those that were read say the same in other pieces
	}
	was, _ := value(recorded)
	is, _ := value(live)
	was, is = withoutChance(was), withoutChance(is)
	return diff.Answers(canon.Lines(&was), canon.Lines(&is))
}

// wording returns the texts of an answer.
func wording(a *said.Answer) []canon.Line {
	return append(textLine("reasoning", a.Reasoning), textLine("text", a.Text)...)
}

// textLine returns the line of a text, or none if that is empty.
func textLine(path, text string) []canon.Line {
	if text == "" {
		return nil
	}
	return []canon.Line{{Path: path, Value: quote(text)}}
}

// bodyShape lists where the shapes of two bodies differ. A stream has that of the answer that
// its events make.
func bodyShape(form *canon.Form, recorded, live *interaction.Response, a, b *said.Answer) []diff.Edit {
	was, wasJSON := value(recorded)
	is, isJSON := value(live)
	switch {
	case (recorded.Stream == "") != (live.Stream == ""):
		return []diff.Edit{{Path: "stream", Recorded: framing(recorded), Incoming: framing(live), Live: true}}
	case wasJSON && isJSON:
		root, answers := "", nodes{&was, &is}
		switch {
		case a.Joined != nil && b.Joined != nil:
			root, was, is = "events/*", *a.Joined, *b.Joined
		case recorded.Stream != "":
			root, answers = "events", answers.elems()
		}
		t := form.Transcript()
		for i := 0; t != nil && i < len(answers); i++ {
			t.Mark(answers[i])
		}
		return compareShapes(root, t == nil || len(t.Text)+len(t.Calls) == 0, &was, &is)
	}
	if a, b := content(recorded, wasJSON), content(live, isJSON); a != b {
		return []diff.Edit{{Path: "body", Recorded: quote(a), Incoming: quote(b), Live: true}}
	}
	return nil
}

// textShape lists where the shapes of two texts differ that are JSON, as a structured
// output is.
func textShape(a, b *said.Answer) []diff.Edit {
	was, wasJSON := parseObject(a.Text)
	is, isJSON := parseObject(b.Text)
	switch {
	case wasJSON && isJSON:
		return compareShapes("text (JSON)", false, &was, &is)
	case a.Text != "" && b.Text != "" && wasJSON != isJSON, len(a.Decisions()) == 0 && (a.Text == "") != (b.Text == ""):
		return diff.Answers(wording(&said.Answer{Text: a.Text}), wording(&said.Answer{Text: b.Text}))
	}
	return nil
}

// framing returns how a body comes, as the value of an edit.
func framing(resp *interaction.Response) string {
	return quote(cmp.Or(resp.Stream, "in one piece"))
}

// content says what a body is: JSON, or what its media type says.
func content(resp *interaction.Response, isJSON bool) string {
	if isJSON {
		return "JSON"
	}
	media, _, _ := strings.Cut(resp.Headers.Get("content-type"), ";")
	return "no JSON, " + cmp.Or(strings.ToLower(strings.TrimSpace(media)), "without a content type")
}

// Unfit says why nothing can be compared with a recorded answer, or "" if something can.
// If not, its request need not be sent.
func Unfit(recorded *interaction.Response) string {
	switch why := brokenOff(recorded); {
	case recorded.Status == 0:
		return "the recording has no answer"
	case recorded.IsTransientFailure():
		return fmt.Sprintf("the recording is a temporary failure, status %d", recorded.Status)
	case recorded.End == interaction.EndClosed:
		return "the recorded answer is incomplete, because its client closed it"
	case why != "":
		return "the recorded answer broke off: " + why
	}
	return ""
}

// saysNothing says why a live answer tells nothing of the model, or returns "".
func saysNothing(recorded, live *interaction.Response) string {
	if why := brokenOff(live); why != "" {
		return "the live answer broke off: " + why
	}
	if live.Status == recorded.Status {
		return ""
	}
	why := ""
	switch status := live.Status; {
	case status == 401, status == 403, status == 407:
		why = "the key was refused"
	case status == 404, status == 400 && saysNotFound(live):
		why = "something named in the request no longer exists, or the key has no access to it"
	case live.IsTransientFailure():
		why = "the server was busy or failed, try again"
	default:
		return ""
	}
	text := fmt.Sprintf("status %d: %s", live.Status, why)
	if message := errorOf(live); message != "" {
		text += fmt.Sprintf(" (%q)", message)
	}
	return text
}

// brokenOff says why an answer is not whole, or returns "" if it is. A stream whose status
// was sent tells of a failure with an event.
func brokenOff(resp *interaction.Response) string {
	if resp.End != "" {
		return cmp.Or(resp.Error, "its end is missing")
	}
	for _, event := range resp.Events {
		for _, f := range event {
			if f.Name == ":exception-type" { // of an AWS event stream
				return f.Value
			}
			if !interaction.IsPayload(f.Name) || !strings.Contains(f.Value, `"error"`) {
				continue
			}
			v, err := exactjson.Parse([]byte(f.Value))
			isError := v.Member("type").Scalar() == "error"
			if e := v.Member("error"); err == nil && (isError || e != nil && e.Kind != exactjson.Null) {
				return cmp.Or(messageOf(&v), "one of its events is an error")
			}
		}
	}
	return ""
}

// errorOf returns the message of an error, "" if the answer has none.
func errorOf(resp *interaction.Response) string {
	if resp.Status < 400 {
		return ""
	}
	v, _ := exactjson.Parse(resp.Body) // what is no JSON has no message
	return messageOf(&v)
}

// messageOf returns the message of an error wherever the vendors have it: in its error, in
// that of the first element (Gemini), or beside everything else.
func messageOf(v *exactjson.Value) string {
	if v.Kind == exactjson.Array && len(v.Elems) > 0 {
		v = &v.Elems[0]
	}
	e := v.Member("error")
	return cmp.Or(e.Member("message").Scalar(), e.Scalar(), v.Member("message").Scalar(), v.Member("detail").Scalar())
}

// saysNotFound reports whether an error has a code that says so although its status does
// not: a previous response that has expired is status 400 at OpenAI.
func saysNotFound(resp *interaction.Response) bool {
	v, _ := exactjson.Parse(resp.Body) // what is no JSON has no code
	return strings.HasSuffix(v.Member("error").Member("code").Scalar(), "_not_found")
}
