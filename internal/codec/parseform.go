package codec

import (
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/form"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// form reads what encoder.form writes. Its parts are put together as the content-type says.
func (p *parser) form(r *interaction.Request) {
	p.body(&r.Body)
	n, field := p.get("form")
	if n == nil || p.err != nil {
		return
	}
	kind, ok := form.KindOf(r.Headers)
	p.flag("no_last_line_end", &kind.Bare)
	switch {
	case len(r.Body) > 0:
		p.badf(n, field, "there is a body beside the form; keep one")
	case !ok:
		p.badf(n, field, "a form needs a content-type of its request: multipart with a boundary, or application/x-www-form-urlencoded")
	}
	var parts []form.Part
	for i := range p.list(n, field, "parts") {
		parts = append(parts, p.formPart(&n.Elems[i], field))
	}
	if r.Body = kind.Join(parts); p.err == nil && len(parts) == 0 {
		p.badf(n, field, "has no parts; remove it")
	}
}

// formPart reads a part.
func (p *parser) formPart(n *yaml.Node, field string) (part form.Part) {
	if n.Kind == yaml.Mapping && len(n.Keys) == 1 {
		return form.Part{Name: p.key(&n.Keys[0], field), Content: p.contentOf(&n.Elems[0], field, exactjson.Layout{})}
	}
	p.mapping(n, field, field+".", func() {
		p.text("name", &part.Name)
		p.text("filename", &part.File)
		p.text("type", &part.Media)
		p.headers("headers", &part.Headers)
		p.content("value", &part.Content)
	})
	return part
}

// form reads a body; a form is for the parser.
func (d *decoder) form(r *interaction.Request) { d.body(&r.Body) }
