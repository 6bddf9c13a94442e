package canon

import (
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Form returns the form of a cleaned request under the options.
func (o *Options) Form(req *interaction.Request) *Form { return o.form(req, false) }

// Trace is [Options.Form], and the form knows where its fields stand in the
// request; see [Form.Sent].
func (o *Options) Trace(req *interaction.Request) *Form { return o.form(req, true) }

func (o *Options) form(req *interaction.Request, traced bool) *Form {
	f := &Form{}
	if traced {
		f.sent = map[string]string{}
	}
	w := walkers.Get().(*walker)
	w.options = o
	w.request = request{Form: f, parser: &w.parser}
	w.request.classify(o, req, traced || o.selects())
	w.parts()
	if len(req.Body) <= 1<<17 { // more is rare, and too much to keep
		w.release()
	}
	return f
}

// A walker writes the fields of a request to its form.
type walker struct {
	options *Options
	request request

	parser   exactjson.Parser
	path     []byte
	part     string        // of the request: the first segment of path
	children []child       // of the containers around
	listed   []listedField // the family's patterns that the field at path may match
	formText
	drifted []byte // the value of a field that does not match
}

// walkers keeps what walkers write to: a form is cut out of it when it is whole.
var walkers = sync.Pool{New: func() any { return &walker{parser: exactjson.Parser{Escaped: true}} }}

func (w *walker) release() {
	w.parser.Reset()
	w.options, w.request = nil, request{}
	w.text, w.cuts = w.text[:0], w.cuts[:0]
	walkers.Put(w)
}

// parts walks the parts of a request in the order of their names.
func (w *walker) parts() {
	r := &w.request
	origin := r.Origin
	if r.local { // names and ports of local hosts change from machine to machine
		origin = localHosts
	}
	w.text = r.appendHead(w.text)
	w.root("body", r.body)
	if r.encoding == multipartBody || r.encoding == formBody {
		w.root("encoding", stringValue(string(r.encoding)))
	}
	w.root("header", r.header)
	w.root("host", stringValue(origin))
	if level := w.level(""); r.local && level != ignored { // which of them it is only chooses
		r.Local = level == identity
		r.trait(host, "host", w.options.mask(r.Origin))
	}
	w.root("host/model", r.hostModel)
	w.root("path", r.path)
	w.root("query", r.query)

	r.setText(&w.formText)
}

// root walks a part of the request, if there is one.
func (w *walker) root(part string, v exactjson.Value) {
	if v.Kind == exactjson.Null || part != "body" && v.Kind == exactjson.Object && len(v.Elems) == 0 {
		return
	}
	w.part, w.path, w.listed = part, append(w.path[:0], part...), w.listed[:0]
	w.value(&v, "")
}

// value walks v in place. A container that is empty is a leaf. It is given where its
// parent was sent.
func (w *walker) value(v *exactjson.Value, source string) {
	if w.request.sources != nil {
		source = w.source(v, source)
	}
	if len(v.Elems) == 0 {
		w.leaf(v, source)
		return
	}
	first, length := len(w.children), len(w.path)
	w.children = appendChildren(w.children, v)
	for i := first; i < first+len(v.Elems); i++ {
		child := w.children[i]
		w.path = append(append(w.path[:length], '/'), child.segment...)
		if length == len("body") && w.part == "body" && w.request.family != nil {
			w.listed = w.request.family.listed(w.listed[:0], child.segment)
		}
		w.value(child.value, source)
	}
	w.children, w.path = w.children[:first], w.path[:length]
}

// source returns where a value of the body was sent, "" if that is its path. What a
// rewrite made was sent where its parent was, unless that is the whole body.
func (w *walker) source(v *exactjson.Value, parent string) string {
	source := parent
	switch {
	case w.part != "body":
		return ""
	case v.ID > 0:
		source = w.request.sources[v.ID]
	case parent == "body":
		return ""
	}
	if w.request.sent != nil && source != "" {
		w.request.sent[string(w.path)] = source
	}
	return source
}

// leaf adds a field to the form.
func (w *walker) leaf(v *exactjson.Value, source string) {
	switch level := w.level(source); level {
	case ignored:
	case identity:
		w.begin(w.path)
		w.text = w.options.appendValue(w.text, v)
	default:
		w.drifted = w.options.appendValue(w.drifted[:0], v)
		line := Line{string(w.path), string(w.drifted)}
		w.request.Drift = append(w.request.Drift, line)
		w.request.trait(level, line.Path, line.Value)
	}
}

// level returns the level of the field at the path.
func (w *walker) level(source string) level {
	level := identity
	if w.part != "body" {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(w.path[len(w.part):]), "/"), "/")
		level = w.request.level(w.part, name)
	} else if i := slices.IndexFunc(w.listed, func(l listedField) bool { return Match(l.pattern, string(w.path)) }); i >= 0 {
		level = w.listed[i].level
	}
	if level != sampling && !w.options.selects() {
		return level
	}
	return w.options.level(w.request.Form, level, string(w.path), source)
}
