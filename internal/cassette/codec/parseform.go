package codec

import (
	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/form"
)

// form reads the body of a request, or the parts of its form, and makes the body from the parts as
// the content-type says.
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
		p.badf(n, field, "both a body and a form; keep one")
	case !ok:
		p.badf(n, field, "a form needs a content-type of its request: "+
			"multipart with a boundary, or application/x-www-form-urlencoded")
	}
	parts := listOf(p, n, field, "parts", p.formPart)
	r.Body = kind.Join(parts)
	if p.err == nil && len(parts) == 0 {
		p.badf(n, field, "has no parts; remove it")
	}
}

// formPart returns the part n: a mapping of a name to a value, or one with the keys of a part.
func (p *parser) formPart(n *yaml.Node, field string) (part form.Part) {
	if n.Kind == yaml.Mapping && len(n.Elems) == 1 {
		content := n.Elems[0]
		part.Name = p.key(content.Key, field)
		part.Content = p.bodyOf(content, field, exactjson.Layout{})
		return part
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
