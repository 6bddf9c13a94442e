// Package conversation reads interactions as people read them: who said what, which tools
// were offered and called, what they gave, what the answer was. One reader serves the model
// APIs, since package canon brings their requests to one spelling and says where answers
// have what they say; what it does not know stays JSON. Nothing of it is matched or
// replayed.
//
// From the bottom up: tree.go makes values of the lines of a form, message.go reads
// messages, exchange.go has what an interaction is for people, fold.go finds what a turn
// repeats, concurrent.go what ran side by side, and conversation.go reads whole interactions.
package conversation

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/form"
)

// Read reads the interactions of a cassette.
func Read(its []*interaction.Interaction) []*Exchange {
	list := make([]*Exchange, len(its))
	for i, it := range its {
		list[i] = read(it)
		list[i].Number = i + 1
	}
	fold(list)
	concurrent(list, its)
	return list
}

// ReadRequest reads the request of an interaction alone.
func ReadRequest(it *interaction.Interaction) *Exchange {
	e, _ := readRequest(it)
	return e
}

// read reads an interaction.
func read(it *interaction.Interaction) *Exchange {
	e, form := readRequest(it)
	e.readAnswer(form, &it.Response)
	if u := it.Usage; u != nil {
		e.InputTokens, e.OutputTokens, e.CachedTokens, e.ReasoningTokens = u.InputTokens, u.OutputTokens, u.CachedTokens, u.ReasoningTokens
	}
	e.FirstMS, e.TotalMS = times(it)
	return e
}

func readRequest(it *interaction.Interaction) (*Exchange, *canon.Form) {
	rules := canon.Options{AsSent: true}
	form := rules.Form(&it.Request)
	e := &Exchange{Line: it.Line, Accepted: it.Accepted, Call: form.Name(), Request: it.Request.String(), Within: it.Request.Within, Name: it.Request.Name, Model: form.Model}
	_, e.Boundary = form.Kind()
	e.Kind = KindOf(form, &it.Request)
	isRPC := slices.Contains([]string{MCP, A2A, JSONRPC}, e.Kind) && e.readRPC(&it.Request)
	if form.Known && !isRPC {
		e.readBody(form)
	}
	if !isRPC {
		text, why := formText(&it.Request)
		if e.Body = why; len(e.Messages) == 0 && len(e.Settings) == 0 {
			e.Body += text
		}
	}
	return e, form
}

// readBody reads the body of a request to a model.
func (e *Exchange) readBody(form *canon.Form) {
	lines := form.Lines()
	lines = slices.DeleteFunc(slices.Clone(lines), func(l canon.Line) bool { return !strings.HasPrefix(l.Path, "body/") })
	body := tree(lines, len("body/"))
	var read []string
	e.Messages, read = messages(&body)
	read = append(read, "model", "stream")
	for _, name := range []string{"tools", "toolConfig", "functions"} {
		v := body.Member(name)
		if inner := v.Member("tools"); inner != nil {
			v = inner
		}
		if tools := toolsOf(v); len(tools) > 0 {
			e.Tools, read = append(e.Tools, tools...), append(read, name)
		}
	}
	for _, m := range body.Elems {
		if !slices.Contains(read, m.Name) {
			e.Settings = append(e.Settings, Setting{m.Name, string(m.AppendJSON(nil, exactjson.Layout{}))})
		}
	}
	for _, l := range form.Drift {
		if name, ok := strings.CutPrefix(l.Path, "body/"); ok {
			e.Settings = append(e.Settings, Setting{name, l.Value})
		}
	}
}

// readAnswer reads what came back.
func (e *Exchange) readAnswer(form *canon.Form, resp *interaction.Response) {
	a := &e.Answer
	a.Status, a.Stream, a.Events = resp.Status, resp.Stream, len(resp.Events)
	switch {
	case form.Function:
		a.Error = resp.Error
	case resp.GivenUp() != "", resp.End == interaction.EndClosed && resp.Error != "":
		a.Code = finding.AnswerCanceled
		a.Broken = "the client gave up: " + resp.Error
	case resp.End == interaction.EndClosed:
		a.Code = finding.AnswerCut
		a.Broken = "the client stopped reading"
	case resp.End != "":
		a.Code = finding.AnswerBroken
		a.Broken = "it broke off: " + resp.Error
	}
	says := said.Read(form, resp)
	if says.Reasoning != "" {
		a.Parts = append(a.Parts, Part{Kind: Reasoning, Text: says.Reasoning})
	}
	if says.Text != "" {
		a.Parts = append(a.Parts, Part{Kind: Text, Text: says.Text})
	}
	for _, c := range says.Calls {
		a.Parts = append(a.Parts, Part{Kind: Call, Name: c.Name, Args: c.Args})
	}
	for _, c := range says.Blocks {
		a.Parts = append(a.Parts, Part{Kind: Other, Name: c.Name, Text: c.Args})
	}
	for _, c := range says.Results {
		a.Parts = append(a.Parts, given(&c))
	}
	a.Finish, a.Model = says.Finish, says.Model
	if len(a.Parts) > 0 {
		for payload := range resp.Payloads() {
			v, _ := exactjson.Parse(payload)
			if e := v.Member("error"); e != nil && e.Kind != exactjson.Null {
				a.Parts = append(a.Parts, Part{Kind: Other, Name: "error", Text: bodyText(payload)})
			}
		}
		return
	}
	if e.Title != "" {
		if e.readRPCAnswer(resp); len(a.Parts) > 0 {
			return
		}
	}
	isEmptyAnswer := form.Known && len(a.Finish) > 0 && a.Broken == "" && !says.Failed
	if isEmptyAnswer {
		// A limit, a filter or the model's safety rules can leave nothing to say.
		a.Parts = []Part{{Kind: Empty, Text: "an empty answer, finish: " + strings.Join(a.Finish, " ")}}
		return
	}
	if resp.Stream == "" {
		if !a.readBodyMedia(resp, strings.Contains(strings.ToLower(e.Boundary+e.Model), "embed")) {
			a.Body = bodyText(resp.Body)
		}
		return
	}
	var events []string
	for payload := range resp.Payloads() {
		events = append(events, bodyText(payload))
	}
	a.Body = strings.Join(events, "\n")
}

// given returns what a tool of the provider gave, or what the model made beside texts. What
// is no text is said in words.
func given(c *said.Call) Part {
	v, err := exactjson.Parse([]byte(c.Args))
	const long = 200 // bytes in which a text has a space
	switch {
	case err != nil && len(c.Args) > long && !strings.ContainsAny(c.Args, " \n"):
		data := fromBase64(c.Args)
		if data == nil {
			return Part{Kind: Media, Text: fmt.Sprintf("%s, %d bytes", c.Name, len(strings.TrimRight(c.Args, "="))*3/4)}
		}
		return mediumPart(c.Name, data)
	case err != nil:
		return Part{Kind: Result, Name: c.Name, Text: c.Args}
	case slices.Contains([]string{"image", "images", "image_url", "audio", "video", "document", "inlineData", "fileData"}, c.Name):
		p := medium(&v)
		p.Text = c.Name + ": " + p.Text
		return p
	}
	return Part{Kind: Result, Name: c.Name, Text: c.Args}
}

// formText returns the body of a request for people, and why a form is not in the cassette as
// one.
func formText(req *interaction.Request) (text, why string) {
	kind, ok := form.KindOf(req.Headers)
	if !ok || len(req.Body) == 0 {
		return bodyText(req.Body), ""
	}
	parts, why := kind.Split(req.Body)
	if why != "" {
		return bodyText(req.Body), "(a form, stored byte for byte: " + why + ")\n"
	}
	var lines []string
	for _, p := range parts {
		name := p.Name
		for _, h := range p.Headers {
			name += h.Name + ": " + strings.Join(h.Values, ", ") + "\n"
		}
		if p.File != "" {
			name += " (" + p.File + ")"
		}
		lines = append(lines, strings.TrimSuffix(name, "\n")+": "+bodyText(p.Content))
	}
	return strings.Join(lines, "\n"), ""
}

// bodyText returns a body, or what it is if it is no text.
func bodyText[T string | []byte](body T) string {
	if body := []byte(body); !utf8.Valid(body) || slices.Contains(body, 0) {
		return fmt.Sprintf("(%d bytes that are not text)", len(body))
	}
	return string(body)
}

// times returns how long it took until the first event of a stream came, and until the
// answer was complete. The latency of a stream is that of its headers.
func times(it *interaction.Interaction) (first, total int64) {
	came, total := arrivals(it)
	switch {
	case it.Response.Stream == "":
		return 0, total
	case len(came) == 0:
		return it.LatencyMS, total
	}
	return came[0], total
}

// Arrivals returns when the beginning of each event of a stream came, in milliseconds since
// the request was sent.
func Arrivals(it *interaction.Interaction) []int64 {
	came, _ := arrivals(it)
	return came[:len(it.Response.Events)]
}

// arrivals returns when each event or chunk of a body began to come, and when the body was
// complete. A delay that is missing is zero.
func arrivals(it *interaction.Interaction) (came []int64, total int64) {
	total = it.LatencyMS
	for i := range max(len(it.Response.Delays), len(it.Response.Events)) {
		var d interaction.Delay
		if i < len(it.Response.Delays) {
			d = it.Response.Delays[i]
		}
		total += d.MS
		came = append(came, total)
		pieces, _ := d.Rest.Pieces()
		for _, p := range pieces {
			total += p.MS
		}
	}
	return came, total
}
