package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
)

// said returns the beginning of what a request says last, quoted: the text of the last
// message, of the input or of the prompt. It returns "" if there is no such text.
func said(form *canon.Form) string {
	for _, field := range []string{"messages", "contents", "input", "inputs", "prompt", "message", "query", "texts", "text", "q"} {
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

// asked names a request in a line: its endpoint, its model and what it says.
func asked(form *canon.Form) string {
	m := Miss{Call: form.Name(), Request: unnamed(form), Model: form.Model, Asked: said(form)}
	return m.asked()
}

// unnamed returns what the name of a call does not say: the method and the path at a server
// that no family knows, else "".
func unnamed(form *canon.Form) string {
	if form.Known || form.Function {
		return ""
	}
	return form.Endpoint
}

// call names a request for people: "http/api.example.com GET /v1/models".
func call(form *canon.Form) string { return strings.TrimSpace(form.Name() + " " + unnamed(form)) }

// spellOut gives edits what the forms of two requests have only as a digest: the texts of
// bodies that are no JSON, and the names of files.
func spellOut(edits []diff.Edit, recorded, incoming *interaction.Request) {
	filesOf := func(req *interaction.Request) func(string) diff.File {
		return func(path string) diff.File { return fileAt(req, path) }
	}
	for i := range edits {
		edits[i].CompareBodies(recorded.Body, incoming.Body)
		edits[i].NameFiles(filesOf(recorded), filesOf(incoming))
	}
}

// inOrderSent sorts edits by where their fields stand in the body that was sent. Fields that
// only the recording has, and those outside of the body, keep their place at the end and at
// the front.
func inOrderSent(edits []diff.Edit, body []byte) {
	order := map[string]int{}
	if v, err := exactjson.Parse(body); err == nil && v.Kind == exactjson.Object {
		for i, member := range v.Elems {
			order[member.Name] = i + 1
		}
	}
	place := func(e diff.Edit) int {
		if fieldpath.Outside(e.Path) || e.Path == "body" {
			return 0
		}
		name, _, _ := strings.Cut(fieldpath.Short(e.Path), "/")
		return cmp.Or(order[name], len(order)+1)
	}
	slices.SortStableFunc(edits, func(a, b diff.Edit) int { return place(a) - place(b) })
}

// names lists the fields that differ, the first few by name.
func names(edits []diff.Edit) string {
	const most = 3
	var fields []string
	for _, e := range edits {
		if name := fieldpath.Short(e.Path); !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return List(fields, most)
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
