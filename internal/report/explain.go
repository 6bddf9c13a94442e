package report

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/diff/question"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// maxEdits is how many differing fields a report lists.
const maxEdits = 12

// unanswerable says why a request gets no answer although its form is recorded, or why it
// could not be recorded, and gives the line of the recording that is meant. why is "" if
// only a comparison with what is recorded can tell.
func (r *Run) unanswerable(
	c *tape.Match, asked tape.Asked,
) (code finding.Code, why string, line int) {
	switch {
	case telemetrySystem(&c.Request) != "":
		return finding.Telemetry, Telemetry(&c.Request, c.Form, r.Words), 0
	case strings.Contains(c.Form.Text(), refusedText):
		return finding.FollowsMiss, "this request contains the error of an earlier miss: fix that miss first", 0
	case asked.Conflict != nil:
		words, _ := r.conflictField(asked.Conflict)
		return finding.RecordingTaken, fmt.Sprintf("an earlier request, which differs in %s and has "+
			"no recording of its own, already got the answer recorded for this one",
			words), asked.Conflict.Recording.Line()
	case asked.Last != nil:
		why = fmt.Sprintf(askedMoreOften+": %s, recorded %s (%s replays the last recording again)",
			times(asked.Times), times(asked.Recorded), r.Words.Name(advice.AllowRepeats))
		return finding.AskedMoreOften, why, asked.Last.Line()
	}
	return "", "", 0
}

const askedMoreOften = "asked more often than recorded"

// explain returns the nearest recording of those in searched, and describes in m the differences
// from it. It returns nil if there is no recording.
func (r *Run) explain(
	m *missing, c *tape.Match, recs, searched []*tape.Recording, used func(*tape.Recording) bool,
) *tape.Recording {
	i := nearestOf(c.Form, searched, used)
	if i < 0 {
		code, why := r.whyNothingToCompare(c.Form, len(recs))
		m.Code = string(code)
		m.Reason = why
		return nil
	}
	nearest := searched[i]
	form := nearest.Form()
	m.Line = nearest.Line()
	c = r.Tape.ForDisplay(c, nearest)
	m.Asked = cmp.Or(lastText(c.Form), m.Asked)
	m.Request = cmp.Or(unnamed(c.Form), m.Request)
	options := *r.Tape.Config.Options
	if form.Endpoint != c.Form.Endpoint && !slices.Equal(form.Lines(), c.Form.Lines()) {
		code, why := whyNotComparable(c, nearest)
		if why != "" {
			m.Code = string(code)
			m.Reason = why
			return nearest
		}
		options.AnyService = true // else fields of one service would be compared with those of another
	}
	request := nearest.Request()
	incoming := c.Request.KnownAs(&request)
	recorded, asked, edits := traceEdits(options, &request, &incoming)
	sortAsSent(edits, incoming.Body)
	m.setHint(r.hint(edits, recs, nearest, &incoming), r.Words)
	spellOut(edits, &request, &incoming)
	edits = slices.DeleteFunc(edits, func(e diff.Edit) bool {
		return r.Tape.DiffersOnlyInSecret(e.Recorded, e.Incoming) || isElsewhere(&e, recorded, asked)
	})
	before := r.Tape.ConcurrentBefore(nearest)
	parallel := r.parallelOrder(nearest, before, edits)
	if len(before) > 0 {
		blameConcurrency(edits)
	}
	code, why, differs := reason(recorded, asked, edits)
	m.Code = string(code)
	m.Reason = why
	m.differs = differs
	if len(edits) > 0 {
		m.Change = edits[0].Values()
	}
	for _, e := range edits[:min(len(edits), maxOptions)] {
		was, _ := exactjson.Unquote(e.Recorded)
		is, _ := exactjson.Unquote(e.Incoming)
		was, is = aroundDifference(cmp.Or(was, e.Recorded), cmp.Or(is, e.Incoming))
		m.edits = append(m.edits, attr.Edit{Path: fieldpath.Selector(e.Path), Recorded: was, Incoming: is})
	}
	m.Diff = diff.Write(edits, "  ", maxEdits)
	drift := slices.DeleteFunc(diff.Drift(recorded, asked), func(e diff.Edit) bool {
		return e.Path == "host" || isElsewhere(&e, recorded, asked) // a gateway is another one for each
	})
	if len(drift) > 0 {
		m.Diff += "  also different, but ignored when matching:\n" + diff.Write(drift, "    ", 3)
	}
	if parallel != "" {
		m.hints = append(m.hints, finding.ParallelOrder)
	}
	isReordered := func(e diff.Edit) bool {
		return e.Note.Code == diff.OtherOrder || e.Note.Code == diff.OfOtherOrder
	}
	if slices.ContainsFunc(edits, isReordered) {
		m.hints = append(m.hints, finding.WordsReordered)
	}
	m.Diff += r.remarks(edits, &request, &incoming, options.Aliases, !m.lacksValue) + parallel
	m.acceptable = acceptable(nearest, c.Form, edits, &request, &incoming)
	return nearest
}

// traceEdits returns the forms of two requests, with the fields that matching ignores, and the
// edits between them. The calls in a conversation are in the order that gives fewer edits: that
// of their contents, or that in which they were sent.
func traceEdits(
	options canon.Options, recordedRequest, askedRequest *interaction.Request,
) (recorded, asked *canon.Form, edits []diff.Edit) {
	recorded = options.Trace(recordedRequest)
	asked = options.Trace(askedRequest)
	edits = diff.Forms(recorded, asked)
	if len(recorded.Orders) == 0 {
		return recorded, asked, edits
	}
	options.AsSent = true
	recordedAsSent := options.Trace(recordedRequest)
	askedAsSent := options.Trace(askedRequest)
	editsAsSent := diff.Forms(recordedAsSent, askedAsSent)
	if len(editsAsSent) <= len(edits) {
		return recordedAsSent, askedAsSent, editsAsSent
	}
	return recorded, asked, edits
}

// whyNotComparable explains a miss whose request cannot be compared with the nearest recording
// field by field: its method or URL differs, or its body is broken JSON.
//
// For any other request it returns "". Such a request may not be a valid call of the API. For
// example, the upload of a file with a purpose that OpenAI does not know differs from a
// recording in only one field.
func whyNotComparable(c *tape.Match, nearest *tape.Recording) (finding.Code, string) {
	recorded, form := nearest.Head().Request, nearest.Form()
	if c.Request.Method != recorded.Method || c.Request.URL != recorded.URL {
		return finding.NotRecorded, fmt.Sprintf("no call of %s is recorded; the recording here is of %s",
			call(c.Form), call(form))
	}
	fault := diff.Broken(c.Request.Body)
	isOfAPI := form.Known
	if fault != "" && isOfAPI {
		return finding.RequestBroken, fmt.Sprintf("the request is %s; the recording here is of %s",
			fault, call(form))
	}
	return "", ""
}

// whyNothingToCompare returns why a request has no nearest recording that a report can compare
// it with, as a code and as text. The form is that of the request, and recordings is how many
// the cassette has. The first row that fits decides:
//
//	the option Frozen selects the request        NotRecorded
//	no cassette, in CI                           CassetteAbsent: it may not be committed
//	no cassette, in mode once                    CassetteLeftOver: a test may be renamed
//	no cassette, in another mode                 CassetteAbsent
//	a cassette without recordings                CassetteEmpty
//	a cassette with none for such a request      NotRecorded
func (r *Run) whyNothingToCompare(
	form *canon.Form, recordings int,
) (finding.Code, string) {
	isFrozen := r.Tape.Config.Frozen.Select(form.Name())
	hasCassette := r.Tape.State.Present
	switch {
	case isFrozen:
		return finding.NotRecorded, "nothing is recorded"
	case !hasCassette && r.InCI:
		return finding.CassetteAbsent, fmt.Sprintf("the file does not "+
			"exist, and %s does not record: was it committed?",
			r.mode())
	case !hasCassette && r.Mode == "once":
		return finding.CassetteLeftOver, "the file does not exist, and a cassette that no test opens " +
			"any more has this request, so it is not recorded again"
	case !hasCassette:
		return finding.CassetteAbsent, fmt.Sprintf("the file does not exist, and %s does not record", r.mode())
	case recordings == 0:
		return finding.CassetteEmpty, fmt.Sprintf("the cassette is empty (interactions: []), and %s "+
			"does not add to an existing cassette", r.mode())
	}
	return finding.NotRecorded, fmt.Sprintf("nothing is recorded, and %s does not record", r.mode())
}

// isElsewhere reports whether both forms have the field of an edit with the same value, and only
// one of them ignores it when matching.
func isElsewhere(e *diff.Edit, recorded, asked *canon.Form) bool {
	has := func(form *canon.Form, value string) bool {
		line := canon.Line{Path: e.Path, Value: value}
		return slices.Contains(form.Drift, line) || slices.Contains(form.Lines(), line)
	}
	return e.Recorded == "" && has(recorded, e.Incoming) || e.Incoming == "" && has(asked, e.Recorded)
}

// acceptable reports whether promptecho accept may take a request as an edit of a recorded one.
func acceptable(
	rec *tape.Recording, asked *canon.Form, edits []diff.Edit, recorded, incoming *interaction.Request,
) bool {
	if rec.Used() || rec.Failed() || asked.Linked() {
		return false
	}
	form := rec.Form()
	isSameAPI := form.Endpoint == asked.Endpoint && form.Wire == asked.Wire && form.Model == asked.Model
	if !isSameAPI || diff.Likeness(form, asked) < question.Alike {
		return false
	}
	changedQuestion := question.Of(edits, asked, recorded, incoming)
	return changedQuestion == ""
}

// nearestOf returns the index of the recording that is most like a form, or -1 if there is
// none. The forms of the recordings need not fit into memory.
func nearestOf(form *canon.Form, recs []*tape.Recording, used func(*tape.Recording) bool) int {
	return diff.Nearest(form, len(recs), func(i int) diff.Candidate {
		return diff.Candidate{Form: recs[i].Peek(), Used: used(recs[i])}
	})
}

// reason says in a line how a request differs from the nearest recording. differs
// is the same without the subject, if that is the nearest recording; else "".
func reason(recorded, asked *canon.Form, edits []diff.Edit) (code finding.Code, text, differs string) {
	isOfOtherList := func(e diff.Edit) bool { return e.List() != edits[0].List() }
	switch {
	case recorded.Endpoint != asked.Endpoint && recorded.Function:
		return finding.EndpointChanged, "recorded for another function, " + call(recorded), ""
	case recorded.Endpoint != asked.Endpoint:
		return finding.EndpointChanged, "recorded for another endpoint, " + call(recorded), ""
	case len(edits) == 0 && recorded.IsForProcess():
		differs = "differs only in IDs: this run uses the ID of another session, or another folder"
		return finding.RequestChanged, nearestRecording + differs, differs
	case len(edits) == 0:
		differs = "differs, but only in what is not shown: a secret, or a field that counts in one " +
			"of the two requests and is ignored in the other"
		return finding.RequestChanged, nearestRecording + differs, differs
	case edits[0].List() != "" && !slices.ContainsFunc(edits, isOfOtherList):
		differs = "differs only in the order of " + fieldpath.Short(edits[0].List())
		return finding.OrderDiffers, nearestRecording + differs, differs
	case len(edits) > 1:
		differs = "differs in " + listFields(edits)
		return finding.RequestChanged, nearestRecording + differs, differs
	case recorded.Wire != asked.Wire:
		return finding.FramingChanged, "recorded only as " + strings.Trim(edits[0].Recorded, `"`), ""
	case recorded.Model != asked.Model:
		return finding.ModelChanged, "recorded for another model, " + recorded.Model, ""
	}
	differs = "differs in " + fieldpath.Short(edits[0].Path)
	return finding.RequestChanged, nearestRecording + differs, differs
}

// telemetry has the hosts and paths to which exporters of telemetry send requests. No two
// expressions match the same request.
var telemetry = map[string]func() *regexp.Regexp{
	"OpenAI's tracing": memo.Regexp(`^api\.openai\.com/v1/traces/ingest$`),

	// https://opentelemetry.io/docs/specs/otlp/#otlphttp-request
	"OpenTelemetry": memo.Regexp(`^[^/]+/v1/(traces|metrics|logs)$`),

	// https://langfuse.com/docs/opentelemetry/get-started
	"Langfuse": memo.Regexp(`/api/public/(ingestion|otel/v1/traces)$`),

	// https://docs.smith.langchain.com/reference/api
	"LangSmith": memo.Regexp(`/runs/(batch|multipart)$|[^c]/otel/v1/traces$`),

	// https://develop.sentry.dev/sdk/envelopes/
	"Sentry": memo.Regexp(`/api/\d+/(envelope|store)$`),

	// https://docs.datadoghq.com/api/
	"Datadog": memo.Regexp(`\.datadoghq\.\w+/(api/v2/|v1/input)|/v0\.\d/traces$`),

	// https://posthog.com/docs/api/capture
	"PostHog": memo.Regexp(`\.posthog\.com/(batch|capture|i/v0/e)$`),
}

// Telemetry returns the explanation of a request that an exporter of telemetry sends, with a
// remedy. It returns "" for any other request.
func Telemetry(req *interaction.Request, form *canon.Form, words *advice.Words) string {
	system := telemetrySystem(req)
	if system == "" {
		return ""
	}
	server := "http/" + form.Origin
	if form.Origin == "api.openai.com" { // the model must not pass
		server += "/v1/traces"
	}
	return fmt.Sprintf("this request is telemetry (%s), with new "+
		"content in each run: add %s, or turn the exporter off in tests",
		system, words.Code(advice.New(advice.PassThrough, server)))
}

// telemetrySystem returns the system whose exporter sends a request; "" if there is none.
func telemetrySystem(req *interaction.Request) string {
	u, err := url.Parse(req.URL)
	if err != nil || req.Method != "POST" {
		return ""
	}
	address := strings.ToLower(u.Hostname()) + strings.TrimSuffix(u.Path, "/")
	for system, pattern := range telemetry {
		if pattern().MatchString(address) {
			return system
		}
	}
	return ""
}
