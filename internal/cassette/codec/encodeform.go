package codec

import (
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/form"
)

// form writes the body of a request. It writes a list of parts if the body is a form and the same
// bytes can be made from the parts.
func (e *encoder) form(r *interaction.Request) {
	kind, ok := form.KindOf(r.Headers)
	if !ok || len(r.Body) == 0 {
		e.body(&r.Body)
		return
	}
	parts, reason := kind.Split(r.Body)
	if reason != "" {
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
		e.buf[start+e.indent-2] = '-' // before the first key
		e.indent -= 2
	}
}

// formPart writes a part: in the short form "name: value" if the part has nothing else.
func (e *encoder) formPart(p *form.Part) {
	hasOnlyValue := p.Headers == nil && p.File == "" && p.Media == ""
	if hasOnlyValue && e.formField(p) {
		return
	}
	e.text("name", &p.Name)
	e.text("filename", &p.File)
	e.text("type", &p.Media)
	e.headers("headers", &p.Headers)
	e.content("value", p.Content, p.File, p.Media)
}

// formField writes the name and the value of a part, as a key and a value. It writes nothing and
// returns false if the value is neither text nor compact JSON, or if the name is very long.
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
