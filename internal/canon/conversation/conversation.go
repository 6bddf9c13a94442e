// Package conversation reads interactions for people: the messages, the tools, the tool
// calls with their results, and the answer. One reader serves all model APIs, since package
// canon translates their requests and describes their responses. Unknown parts stay JSON.
// Nothing of it is matched or replayed.
//
// From the bottom up: tree.go makes values of the lines of a form, message.go reads
// messages, rpc.go JSON-RPC, media.go pictures and sounds. exchange.go has the types for an
// interaction, repeats.go finds the messages that a turn repeats, concurrent.go the
// overlapping interactions, session.go reads sessions, and conversation.go reads whole
// interactions.
//
// Sessions with child processes have a second reader: command.go reads how a process was started,
// and process.go its messages. protocol.go has what all protocols need, and each protocol is a
// file with a table: mcp.go, acp.go, claude.go, codexexec.go and codexserver.go.
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
	findRepeats(list)
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
		e.InputTokens = u.InputTokens
		e.OutputTokens = u.OutputTokens
		e.CachedTokens = u.CachedTokens
		e.ReasoningTokens = u.ReasoningTokens
	}
	e.FirstMS, e.TotalMS = times(it)
	e.Session = ReadSession(&it.Response, Arrivals(it))
	if e.Session != nil && it.Request.IsForProcess() {
		e.readProcess(&it.Response)
	}
	return e
}

// readRequest reads the request of an interaction. It returns its form, too.
func readRequest(it *interaction.Interaction) (*Exchange, *canon.Form) {
	rules := canon.Options{AsSent: true}
	form := rules.Form(&it.Request)
	e := &Exchange{
		Line:     it.Line,
		Accepted: it.Accepted,
		Fake:     it.Fake,
		Recorded: string(it.Recorded),
		Call:     form.Name(),
		Request:  it.Request.String(),
		Within:   it.Request.Within,
		Name:     it.Request.Name,
		Model:    form.Model,
		Streams:  form.Wire != "whole" && form.Wire != canon.WebSocketWire,
	}
	_, e.Boundary = form.Kind()
	e.Kind = KindOf(form, &it.Request)

	if e.Kind == Process {
		e.readCommand(&it.Request)
		return e, form
	}
	mayBeRPC := slices.Contains([]string{MCP, A2A, JSONRPC}, e.Kind)
	if mayBeRPC && e.readRPC(&it.Request) {
		return e, form
	}
	if form.Known {
		e.readBody(form)
	}
	text, note := formText(&it.Request)
	e.Body = note
	isRead := len(e.Messages) > 0 || len(e.Settings) > 0
	if !isRead {
		e.Body += text
	}
	return e, form
}

// readBody reads the body of a request to a model.
func (e *Exchange) readBody(form *canon.Form) {
	var lines []canon.Line
	for _, l := range form.Lines() {
		if strings.HasPrefix(l.Path, "body/") {
			lines = append(lines, l)
		}
	}
	body := tree(lines, len("body/"))

	var readNames []string // of members that are not settings
	e.Messages, readNames = messages(&body)
	readNames = append(readNames, "model", "stream")
	for _, name := range []string{"tools", "toolConfig", "functions"} {
		v := body.Member(name)
		if inner := v.Member("tools"); inner != nil {
			v = inner
		}
		if tools := toolsOf(v); len(tools) > 0 {
			e.Tools = append(e.Tools, tools...)
			readNames = append(readNames, name)
		}
	}

	for _, m := range body.Elems {
		if !slices.Contains(readNames, m.Name) {
			e.Settings = append(e.Settings, Setting{m.Name, string(m.AppendJSON(nil, exactjson.Layout{}))})
		}
	}
	for _, l := range form.Drift {
		if name, ok := strings.CutPrefix(l.Path, "body/"); ok {
			e.Settings = append(e.Settings, Setting{name, l.Value})
		}
	}
}

// readAnswer reads a response. The answer is the first of these that the response has:
//
//   - the parts of a model's answer; nothing else of a session, whose messages are read apart
//   - the parts of a JSON-RPC response
//   - a note that a known API gave an empty answer
//   - the body
func (e *Exchange) readAnswer(form *canon.Form, resp *interaction.Response) {
	a := &e.Answer
	a.Status = resp.Status
	a.Stream = resp.Stream
	a.Events = len(resp.Events)
	a.readEnd(form, resp)

	content := said.Read(form, resp)
	a.Parts = partsOf(&content)
	a.Finish = content.Finish
	a.Model = content.Model
	if resp.IsSession() {
		return // the messages are in Exchange.Session
	}
	if len(a.Parts) > 0 {
		a.Parts = append(a.Parts, errorParts(resp)...)
		return
	}

	isRPC := e.Title != "" // only readRPC sets the title
	if isRPC {
		e.readRPCAnswer(resp)
		if len(a.Parts) > 0 {
			return
		}
	}

	// A limit, a filter or the model's safety rules can leave an answer empty.
	hasEnded := len(a.Finish) > 0 && a.Broken == ""
	if form.Known && hasEnded && !content.Failed {
		text := "an empty answer, finish: " + strings.Join(a.Finish, " ")
		a.Parts = []Part{{Kind: Empty, Text: text}}
		return
	}

	isEmbedding := strings.Contains(strings.ToLower(e.Boundary+e.Model), "embed")
	a.readUnknown(resp, isEmbedding)
}

// readUnknown reads a response without known parts: the payloads of a stream, media or
// vectors in a body, or else the body itself.
func (a *Answer) readUnknown(resp *interaction.Response, isEmbedding bool) {
	if resp.Stream != "" {
		var events []string
		for payload := range resp.Payloads() {
			events = append(events, bodyText(payload))
		}
		a.Body = strings.Join(events, "\n")
		return
	}
	if !a.readBodyMedia(resp, isEmbedding) {
		a.Body = bodyText(resp.Body)
	}
}

// readEnd reads how a response ended before it was complete.
func (a *Answer) readEnd(form *canon.Form, resp *interaction.Response) {
	isCanceled := resp.CancelCause() != "" || resp.End == interaction.EndClosed && resp.Error != ""
	switch {
	case resp.IsSession():
		a.readSessionEnd(resp)
	case form.Function:
		a.Error = resp.Error
	case isCanceled:
		a.Code = finding.AnswerCanceled
		a.Broken = "the client gave up: " + resp.Error
	case resp.End == interaction.EndClosed:
		a.Code = finding.AnswerCut
		a.Broken = "the client stopped reading"
	case resp.End != "":
		a.Code = finding.AnswerBroken
		a.Broken = "it broke off: " + resp.Error
	}
}

// readSessionEnd reads how a session ended that no side has closed.
func (a *Answer) readSessionEnd(resp *interaction.Response) {
	switch resp.End {
	case interaction.EndError:
		a.Code = finding.AnswerBroken
		a.Broken = "it broke off: " + resp.Error
	case interaction.EndClosed:
		a.Code = finding.AnswerCut
		a.Broken = "the client left without closing it"
	}
}

// partsOf returns the parts of a model's answer.
func partsOf(content *said.Answer) (parts []Part) {
	if content.Reasoning != "" {
		parts = append(parts, Part{Kind: Reasoning, Text: content.Reasoning})
	}
	if content.Text != "" {
		parts = append(parts, Part{Kind: Text, Text: content.Text})
	}
	for _, c := range content.Calls {
		parts = append(parts, Part{Kind: Call, Name: c.Name, Args: c.Args})
	}
	for _, c := range content.Blocks {
		parts = append(parts, Part{Kind: Other, Name: c.Name, Text: c.Args})
	}
	for _, c := range content.Results {
		parts = append(parts, providerResult(&c))
	}
	return parts
}

// errorParts returns the errors in a response that has other content, too: in a stream, an
// error can follow texts.
func errorParts(resp *interaction.Response) (parts []Part) {
	for payload := range resp.Payloads() {
		v, _ := exactjson.Parse(payload)
		failed := v.Member("error")
		if failed != nil && failed.Kind != exactjson.Null {
			parts = append(parts, Part{Kind: Other, Name: "error", Text: bodyText(payload)})
		}
	}
	return parts
}

// mediaResults are the names of results that are media, by address or by bytes.
var mediaResults = []string{
	"image", "images", "image_url", "audio", "video", "document", "inlineData", "fileData",
}

// providerResult returns the part for a result of a provider's own tool, or for a picture or
// a sound, which is described in words.
func providerResult(c *said.Call) Part {
	v, err := exactjson.Parse([]byte(c.Args))
	isJSON := err == nil
	if isJSON && slices.Contains(mediaResults, c.Name) {
		p := mediaPart(&v)
		p.Text = c.Name + ": " + p.Text
		return p
	}

	const long = 200 // bytes; a text that is longer has a space
	isBase64 := !isJSON && len(c.Args) > long && !strings.ContainsAny(c.Args, " \n")
	if isBase64 {
		data := fromBase64(c.Args)
		if data == nil {
			return Part{Kind: Media, Text: fmt.Sprintf("%s, %d bytes", c.Name, base64Size(c.Args))}
		}
		return mediaPartOf(c.Name, data)
	}
	return Part{Kind: Result, Name: c.Name, Text: c.Args}
}

// formText returns the body of a request for people. For a form that the cassette stores as
// bytes, note says why.
func formText(req *interaction.Request) (text, note string) {
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

// bodyText returns a body, or the number of its bytes if it is not text.
func bodyText[T string | []byte](body T) string {
	bytes := []byte(body)
	isText := utf8.Valid(bytes) && !slices.Contains(bytes, 0)
	if !isText {
		return fmt.Sprintf("(%d bytes that are not text)", len(bytes))
	}
	return string(body)
}

// times returns the milliseconds until the first event of a stream, and until the response
// was complete. For a stream without events, the first event is its headers.
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

// Arrivals returns the milliseconds from the request to the beginning of each event of a
// stream.
func Arrivals(it *interaction.Interaction) []int64 {
	came, _ := arrivals(it)
	return came[:len(it.Response.Events)]
}

// arrivals returns the milliseconds from the request to the beginning of each event, or
// chunk of a body, and to the end of the body. A delay that is missing is zero.
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
