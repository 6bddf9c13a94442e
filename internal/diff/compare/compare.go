// Package compare tells whether a model still answers as it was recorded. It compares a
// recorded answer with a live one. A difference in these parts is a drift: the status, the
// calls of tools, the finish reason, the shape of the JSON, and the model. The wording is
// shown, but is never a drift. Both answers must be redacted, so that their placeholders are
// equal.
//
// shape.go compares shapes, without fields that differ by chance. compare.go gives the verdict,
// and tells which answers can be compared.
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

// A Verdict is the result of a comparison.
type Verdict string

// The verdicts.
const (
	Identical   Verdict = "identical"    // apart from IDs, times, fingerprints, latencies and usage
	Benign      Verdict = "benign"       // only texts and numbers differ
	Drift       Verdict = "drift"        // a difference on which a program can depend
	NotCompared Verdict = "not compared" // no live answer, or one that does not depend on the model
	NotSent     Verdict = "not sent"     // the recorded answer cannot be compared
)

// A Result is a verdict with its reasons.
type Result struct {
	Verdict Verdict
	Why     string      // of a drift, the parts that differ; of NotCompared and NotSent, the reason
	Edits   []diff.Edit // the differences; of a benign result, those worth showing
}

// Answers compares a recorded answer with a live one to the same request, whose form is form.
// The recorded answer must be one for which [Unfit] returns "".
func Answers(form *canon.Form, recorded, live *interaction.Response) Result {
	if why := UnrelatedToModel(recorded, live); why != "" {
		return Result{Verdict: NotCompared, Why: why}
	}
	recordedContent, liveContent := said.Read(form, recorded), said.Read(form, live)
	a := comparedAnswer{recorded, &recordedContent}
	b := comparedAnswer{live, &liveContent}

	edits := diff.Answers(a.decisions(b.resp.Status), b.decisions(a.resp.Status))
	why := driftedParts(edits)
	sameStatus := recorded.Status == live.Status
	// An answer of another status, or with other calls of tools, has another shape anyway.
	if sameStatus && !slices.ContainsFunc(edits, isInToolCalls) {
		shape := slices.Concat(compareBodies(form, a, b), compareTexts(a.content, b.content))
		if len(shape) > 0 {
			edits = append(edits, shape...)
			why = append(why, "the shape of the JSON")
		}
	}
	if len(edits) > 0 {
		isText := func(e diff.Edit) bool { return strings.HasPrefix(e.Path, "text") }
		if sameStatus && !slices.ContainsFunc(edits, isText) {
			edits = append(edits, diff.Answers(wording(a.content), wording(b.content))...)
		}
		return Result{Drift, strings.Join(why, ", "), edits}
	}

	edits = benignEdits(a, b)
	if len(edits) > 0 {
		return Result{Verdict: Benign, Edits: edits}
	}
	_, isJSON := bodyValue(recorded)
	if !isJSON && !bytes.Equal(recorded.Body, live.Body) {
		return Result{Verdict: Benign} // sound, a picture
	}
	return Result{Verdict: Identical}
}

// A comparedAnswer is a response with its content.
type comparedAnswer struct {
	resp    *interaction.Response
	content *said.Answer
}

// decisions returns the parts of an answer, other than its shape, in which a difference is a
// drift. They are the lines of an object with sorted names. If the other answer has another
// status, they are only the status and the error message.
func (a comparedAnswer) decisions(otherStatus int) []canon.Line {
	if a.resp.Status != otherStatus {
		status := canon.Line{Path: "status", Value: strconv.Itoa(a.resp.Status)}
		return append(textLine("error", errorOf(a.resp)), status)
	}

	var lines []canon.Line
	for i, reason := range a.content.Finish {
		path := "finish_reason"
		if len(a.content.Finish) > 1 {
			path += "/" + strconv.Itoa(i)
		}
		lines = append(lines, canon.Line{Path: path, Value: quote(reason)})
	}
	lines = append(lines, textLine("model", a.content.Model)...)

	calls := exactjson.Value{Kind: exactjson.Array}
	add := func(c said.Call, member string, value exactjson.Value) {
		name := stringValue(c.Name)
		name.Name = "name"
		value.Name = member
		call := exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{name, value}}
		calls.Elems = append(calls.Elems, call)
	}
	for _, c := range a.content.Calls {
		add(c, "arguments", arguments(c))
	}
	for _, c := range a.content.Blocks {
		add(c, "block", withoutChance(stringValue(c.Args)))
	}
	for _, l := range canon.Lines(&calls) {
		lines = append(lines, canon.Line{Path: "tool_calls/" + l.Path, Value: l.Value})
	}
	return lines
}

// arguments returns the arguments of a call: a string if they are not JSON, and an empty object
// if they are missing, as in some streams.
func arguments(c said.Call) exactjson.Value {
	args, err := exactjson.Parse(cmp.Or(c.Args, "{}"))
	if err != nil {
		return stringValue(c.Args)
	}
	return args
}

// isInToolCalls reports whether an edit of decisions is in the calls of tools.
func isInToolCalls(e diff.Edit) bool { return firstSegment(e.Path) == "tool_calls" }

func firstSegment(path string) string {
	segment, _, _ := strings.Cut(path, "/")
	return segment
}

// driftedParts names the parts of an answer in which edits of decisions are, each once.
func driftedParts(edits []diff.Edit) (names []string) {
	for i := range edits {
		name := firstSegment(edits[i].Path)
		switch name {
		case "error":
			continue // the status differs too
		case "tool_calls":
			name = "tool calls"
		case "finish_reason":
			name = "finish reason"
		}
		names = group.With(names, name)
	}
	return names
}

// benignEdits returns the differences of answers that have not drifted: those of the wording,
// or if there are none, those of all other values.
func benignEdits(a, b comparedAnswer) []diff.Edit {
	edits := diff.Answers(wording(a.content), wording(b.content))
	if len(edits) > 0 {
		return edits
	}
	// Streams with the same content can have it in other pieces, so events are not compared.
	isReadStream := a.resp.Stream != "" && a.content.Transcript != ""
	if isReadStream && slices.Equal(a.content.Results, b.content.Results) {
		return nil
	}
	recorded, _ := bodyValue(a.resp)
	live, _ := bodyValue(b.resp)
	recorded, live = withoutChance(recorded), withoutChance(live)
	return diff.Answers(canon.Lines(&recorded), canon.Lines(&live))
}

// wording returns the reasoning and the text of an answer.
func wording(content *said.Answer) []canon.Line {
	return append(textLine("reasoning", content.Reasoning), textLine("text", content.Text)...)
}

// textLine returns the line for a text, or none if the text is empty.
func textLine(path, text string) []canon.Line {
	if text == "" {
		return nil
	}
	return []canon.Line{{Path: path, Value: quote(text)}}
}

// compareBodies lists the differences in the shapes of two bodies. The shape of a stream is
// that of the answer into which its events are joined, or if they cannot be joined, that of
// the events.
func compareBodies(form *canon.Form, a, b comparedAnswer) []diff.Edit {
	isStream := a.resp.Stream != ""
	if isStream != (b.resp.Stream != "") {
		return []diff.Edit{{
			Path:     "stream",
			Recorded: framing(a.resp),
			Incoming: framing(b.resp),
			Live:     true,
		}}
	}

	recorded, recordedIsJSON := bodyValue(a.resp)
	live, liveIsJSON := bodyValue(b.resp)
	if !recordedIsJSON || !liveIsJSON {
		recordedType := contentType(a.resp, recordedIsJSON)
		liveType := contentType(b.resp, liveIsJSON)
		if recordedType == liveType {
			return nil
		}
		return []diff.Edit{{
			Path:     "body",
			Recorded: quote(recordedType),
			Incoming: quote(liveType),
			Live:     true,
		}}
	}

	path := ""
	answers := values{&recorded, &live}
	areJoined := a.content.Joined != nil && b.content.Joined != nil
	switch {
	case areJoined:
		path = "events/*"
		recorded = *a.content.Joined
		live = *b.content.Joined
	case isStream:
		path = "events"
		answers = answers.elems()
	}
	t := form.Transcript()
	if t != nil {
		for _, v := range answers {
			t.Mark(v)
		}
	}
	hasWording := t != nil && len(t.Text)+len(t.Calls) > 0
	return compareShapes(path, !hasWording, &recorded, &live)
}

// compareTexts lists the differences in the shapes of two texts that are JSON, as the text of a
// structured output is. If only one of them is JSON, or if only one answer has a text and the
// recorded one has no calls of tools, it lists the texts.
func compareTexts(recorded, live *said.Answer) []diff.Edit {
	recordedValue, recordedIsJSON := parseObject(recorded.Text)
	liveValue, liveIsJSON := parseObject(live.Text)
	if recordedIsJSON && liveIsJSON {
		return compareShapes("text (JSON)", false, &recordedValue, &liveValue)
	}
	hasRecorded, hasLive := recorded.Text != "", live.Text != ""
	becameOrWasJSON := hasRecorded && hasLive && recordedIsJSON != liveIsJSON
	cameOrWent := hasRecorded != hasLive && len(recorded.Decisions()) == 0
	if becameOrWasJSON || cameOrWent {
		return diff.Answers(textLine("text", recorded.Text), textLine("text", live.Text))
	}
	return nil
}

// framing returns the framing of a body, as the value of an edit.
func framing(resp *interaction.Response) string {
	return quote(cmp.Or(resp.Stream, "in one piece"))
}

// contentType describes a body that is not a stream: JSON, or its media type.
func contentType(resp *interaction.Response, isJSON bool) string {
	if isJSON {
		return "JSON"
	}
	media, _, _ := strings.Cut(resp.Headers.Get("content-type"), ";")
	return "no JSON, " + cmp.Or(strings.ToLower(strings.TrimSpace(media)), "without a content type")
}

// Unfit returns the reason why a recorded answer cannot be compared, or "" if it can. If it
// cannot, its request need not be sent.
func Unfit(recorded *interaction.Response) string {
	failure := streamFailure(recorded)
	switch {
	case recorded.Status == 0:
		return "the recording has no answer"
	case recorded.IsTransientFailure():
		return fmt.Sprintf("the recording is a temporary failure, status %d", recorded.Status)
	case recorded.End == interaction.EndClosed:
		return "the recorded answer is incomplete, because its client closed it"
	case failure != "":
		return "the recorded answer broke off: " + failure
	}
	return ""
}

// UnrelatedToModel returns the reason why a live answer does not show how the model answers,
// or "" if it does.
func UnrelatedToModel(recorded, live *interaction.Response) string {
	if failure := streamFailure(live); failure != "" {
		return "the live answer broke off: " + failure
	}
	if live.Status == recorded.Status {
		return ""
	}
	why := ""
	status := live.Status
	switch {
	case status == 401, status == 403, status == 407:
		why = "the key was refused"
	case status == 404, status == 400 && hasNotFoundCode(live):
		why = "something named in the request no longer exists, or the key has no access to it"
	case live.IsTransientFailure():
		why = "the server was busy or failed, try again"
	default:
		return ""
	}
	text := fmt.Sprintf("status %d: %s", status, why)
	if message := errorOf(live); message != "" {
		text += fmt.Sprintf(" (%q)", message)
	}
	return text
}

// streamFailure returns the reason why an answer is incomplete, or "" if it is complete. A
// failure after the status was sent is reported by an event of the stream.
func streamFailure(resp *interaction.Response) string {
	if resp.End != "" {
		return cmp.Or(resp.Error, "its end is missing")
	}
	for _, event := range resp.Events {
		for _, field := range event {
			if field.Name == ":exception-type" { // of an AWS event stream
				return field.Value
			}
			if !interaction.IsPayload(field.Name) {
				continue
			}
			if failure := payloadFailure(field.Value); failure != "" {
				return failure
			}
		}
	}
	return ""
}

// payloadFailure returns the message of an event that is an error, or "" for other events.
func payloadFailure(payload string) string {
	if !strings.Contains(payload, `"error"`) {
		return ""
	}
	v, err := exactjson.Parse(payload)
	if err != nil {
		return ""
	}
	member := v.Member("error")
	hasError := member != nil && member.Kind != exactjson.Null
	if !hasError && v.Member("type").Scalar() != "error" {
		return ""
	}
	return cmp.Or(messageOf(&v), "one of its events is an error")
}

// errorOf returns the message of an answer that is an error, or "" if it has none.
func errorOf(resp *interaction.Response) string {
	if resp.Status < 400 {
		return ""
	}
	v, _ := exactjson.Parse(resp.Body) // a body that is not JSON has no message
	return messageOf(&v)
}

// messageOf returns the message of an error, which is in different members by provider. Gemini
// has the error in the first element of a list.
func messageOf(v *exactjson.Value) string {
	if v.Kind == exactjson.Array && len(v.Elems) > 0 {
		v = &v.Elems[0]
	}
	e := v.Member("error")
	return cmp.Or(
		e.Member("message").Scalar(),
		e.Scalar(),
		v.Member("message").Scalar(),
		v.Member("detail").Scalar(),
	)
}

// hasNotFoundCode reports whether the code of an error is "not found". OpenAI sends such a code
// with status 400, for a previous response that has expired.
func hasNotFoundCode(resp *interaction.Response) bool {
	v, _ := exactjson.Parse(resp.Body) // a body that is not JSON has no code
	return strings.HasSuffix(v.Member("error").Member("code").Scalar(), "_not_found")
}
