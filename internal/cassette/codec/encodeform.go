package codec

import (
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/form"
)

// form writes the body of a request: as a list of its parts if it is a form and they give the
// same bytes again.
func (e *encoder) form(r *interaction.Request) {
	kind, ok := form.KindOf(r.Headers)
	if !ok || len(r.Body) == 0 {
		e.body(&r.Body)
		return
	}
	parts, why := kind.Split(r.Body)
	if why != "" {
		e.body(&r.Body)
		return
	}
	e.flag("no_last_line_end", &kind.Bare)
	e.key("form")
	e.write("\n")
	for i := range parts {
		start := len(e.buf)
		e.indent += 2
		e.formPart(&parts[i])
		e.buf[start+e.indent-2] = '-'
		e.indent -= 2
	}
}

// formPart writes a part: as a name and its value if that says all.
func (e *encoder) formPart(p *form.Part) {
	if p.Headers == nil && p.File == "" && p.Media == "" && e.formField(p) {
		return
	}
	e.text("name", &p.Name)
	e.text("filename", &p.File)
	e.text("type", &p.Media)
	e.headers("headers", &p.Headers)
	e.content("value", p.Content, p.File, p.Media)
}

// formField writes a name and its value, if that is text or compact JSON.
func (e *encoder) formField(p *form.Part) bool {
	if len(p.Name) > maxKey || !utf8.Valid(p.Content) {
		return false
	}
	v, l, _, isJSON := e.bodyStructure(p.Content)
	if isJSON && l != (exactjson.Layout{}) {
		return false
	}
	e.startLine(e.indent)
	e.blockKey(p.Name)
	if isJSON {
		e.blockValue(&v, e.indent)
		return true
	}
	e.write(" ")
	e.blockString(string(p.Content), e.indent+2)
	e.write("\n")
	return true
}
