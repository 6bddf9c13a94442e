package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Miss is a request that was not recorded. Users see it as a *promptecho.MissError, which
// has the same fields and says what they mean.
type Miss struct {
	Code           string // a finding.Code
	File           string
	Line           int
	Call, Request  string
	Model, Caller  string
	Asked          string
	Count          int
	Reason, Change string
	Diff, Hint     string
	Instead        string
}

// Error returns the report in several lines: the place of the nearest recording, the request
// and its caller, and each differing field with both values.
func (m *Miss) Error() string {
	text := m.place() + ": " + m.Reason + "\n  asked:  " + m.describe()
	if m.Caller != "" {
		text += "\n  caller: " + m.Caller
	}
	if detail := m.detail(); detail != "" {
		text += "\n" + detail
	}
	return redact.Printable(text)
}

// detail returns what differs, and the option that would make it match.
func (m *Miss) detail() string {
	text := strings.TrimRight(m.Diff, "\n")
	if m.Hint != "" {
		text += "\n  if this cannot change the answer, add " + m.Hint
		if m.Instead != "" {
			text += "\n  if it can change the answer, " + m.Instead
		}
	}
	return strings.TrimPrefix(text, "\n")
}

// place returns the cassette and the line of the nearest recording: "testdata/bot.yaml:12".
func (m *Miss) place() string {
	if m.Line > 0 {
		return fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	return m.File
}

// describe names the request in a line: its endpoint, its model, its last text, and how often
// it was sent.
func (m *Miss) describe() string {
	s := strings.TrimSpace(m.Call + " " + m.Request)
	if m.Model != "" {
		s += ", model " + m.Model
	}
	if m.Asked != "" {
		s += ", " + m.Asked
	}
	if m.Count > 1 {
		s += ", " + times(m.Count)
	}
	return s
}

// isShort reports whether a text has fewer than 200 bytes as JSON.
func isShort(text string) bool {
	const most = 200
	encoded, err := json.Marshal(text)
	return err == nil && len(encoded)-len(`""`) < most
}

// brief returns the request and its caller in a line.
func (m *Miss) brief() string {
	if m.Caller == "" {
		return m.describe()
	}
	return m.describe() + ", " + m.Caller
}

// briefReason returns the place, the reason and the request of the miss in a line.
func (m *Miss) briefReason() string {
	return m.place() + ": " + m.Reason + " (" + m.brief() + ")"
}

// frozenReason returns the end of the reason of a miss that no mode records, because an option
// forbids the call. It returns "" for all others.
func (r *Run) frozenReason(call string) string {
	if !r.Tape.Config.Frozen.Select(call) {
		return ""
	}
	return "; " + r.Words.Name(advice.Frozen) +
		" forbids this call: to record it, remove that option for one run"
}

// refusedText begins the answer to a miss. An agent that goes on after it may say
// that to the model.
const refusedText = interaction.MissMark + ": "

// lastText returns the beginning of the last text in a request, quoted: of the last message, of the
// input or of the prompt. It returns "" if there is no such text.
func lastText(form *canon.Form) string {
	fields := []string{
		"messages", "contents", "input", "inputs", "prompt", "message", "query", "texts", "text", "q",
	}
	for _, field := range fields {
		for _, l := range slices.Backward(form.Lines()) {
			rest, ok := strings.CutPrefix(l.Path, "body/"+field)
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			rest = strings.TrimRight(rest, "/0123456789")
			switch name := rest[strings.LastIndexByte(rest, '/')+1:]; name {
			case "", "text", "content":
				if _, isText := exactjson.Unquote(l.Value); isText {
					return diff.Brief(l.Value)
				}
			}
		}
	}
	return ""
}

// describe names a request in a line: its endpoint, its model and its last text.
func describe(form *canon.Form) string {
	m := Miss{Call: form.Name(), Request: unnamed(form), Model: form.Model, Asked: lastText(form)}
	return m.describe()
}

// unnamed returns what the name of a call does not say: the method and the path at a server over
// HTTP that no family knows, else "".
func unnamed(form *canon.Form) string {
	if form.Known || form.Function || form.GRPC {
		return ""
	}
	return form.Endpoint
}

// call names a request for people: "http/api.example.com GET /v1/models".
func call(form *canon.Form) string { return strings.TrimSpace(form.Name() + " " + unnamed(form)) }

// spellOut adds to edits the contents of which the forms of two requests have only digests: the
// texts of bodies that are not JSON, and the names of files.
func spellOut(edits []diff.Edit, recorded, incoming *interaction.Request) {
	for i := range edits {
		e := &edits[i]
		e.CompareBodies(recorded.Body, incoming.Body)
		if e.IsFile() {
			e.NameFiles(fileAt(recorded, cmp.Or(e.From, e.Path)), fileAt(incoming, e.Path))
		}
	}
}

// sortAsSent sorts edits by the order of their fields in the body that was sent. Fields outside
// of the body come first, and fields that only the recording has come last.
func sortAsSent(edits []diff.Edit, body []byte) {
	order := map[string]int{} // the positions of the members of the body, from 1
	if v, err := exactjson.Parse(body); err == nil && v.Kind == exactjson.Object {
		for i, member := range v.Elems {
			order[member.Name] = i + 1
		}
	}
	position := func(e diff.Edit) int {
		if fieldpath.Outside(e.Path) || e.Path == "body" {
			return 0
		}
		name, _, _ := strings.Cut(fieldpath.Short(e.Path), "/")
		return cmp.Or(order[name], len(order)+1)
	}
	group.Sort(edits, func(a, b diff.Edit) int { return position(a) - position(b) })
}

// listFields lists the fields that differ, the first few by name.
func listFields(edits []diff.Edit) string {
	const most = 3
	var fields []string
	for _, e := range edits {
		fields = group.With(fields, fieldpath.Short(e.Path))
	}
	return english.List(fields, most)
}

// fileAt returns what a multipart form has at a path of its form, "body/file/0".
func fileAt(req *interaction.Request, path string) (file diff.File) {
	_, params, err := mime.ParseMediaType(req.Headers.Get("content-type"))
	if err != nil {
		return file
	}
	count := map[string]int{}
	field := strings.TrimSuffix(path, "/0")
	for r := multipart.NewReader(bytes.NewReader(req.Body), params["boundary"]); ; {
		part, err := r.NextRawPart()
		if err != nil {
			file.Alone = count[field] == 1
			return file
		}
		name := "body/" + part.FormName()
		if fmt.Sprintf("%s/%d", name, count[name]) == path {
			file.Name = part.FileName()
			file.Content, _ = io.ReadAll(part)
		}
		count[name]++
	}
}

// hasCode reports whether a code is that of the miss.
func (m *Miss) hasCode(code finding.Code) bool { return m.Code == string(code) }
