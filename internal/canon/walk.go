package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/urls"
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
	w := &walker{options: o, parser: exactjson.Parser{Escaped: true}}
	w.call.request = request{Form: f, parser: &w.parser, options: o}
	w.call.classify(o, req, traced || o.selects())
	for selector, paths := range o.Only {
		if Selects(selector, f.Name()) {
			f.only = append(f.only, paths...)
		}
	}
	w.request()
	return f
}

// A walker writes the fields of a call to its form.
type walker struct {
	options *Options
	call    call

	parser   exactjson.Parser
	path     []byte
	part     string        // of the request: the first segment of path
	children []child       // of the containers around
	listed   []listedField // the family's patterns that the field at path may match
	formText
	drifted []byte // the value of a field that does not match
}

// request walks the parts of a request in the order of their names.
func (w *walker) request() {
	c := &w.call
	origin := c.Origin
	if c.local { // names and ports of local hosts change from machine to machine
		origin = urls.LocalHosts
	}
	w.text = c.appendHead(w.text)
	w.root("body", c.body)
	if c.encoding == multipartBody || c.encoding == formBody {
		w.root("encoding", stringValue(string(c.encoding)))
	}
	w.root("header", c.header)
	if !c.Function {
		w.root("host", stringValue(origin))
	}
	if level := w.level(nil, ""); c.local && level != ignored { // which of them it is only chooses
		c.Local = level == identity
		c.trait(host, "host", w.options.Masked(c.Origin))
	}
	w.root("host/model", c.hostModel)
	w.root("path", c.path)
	w.root("query", c.query)

	c.setText(&w.formText)
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
	if w.call.sources != nil {
		source = w.source(v, source)
	}
	if len(v.Elems) == 0 {
		w.leaf(v, source)
		return
	}
	if v.Kind == exactjson.Array && len(w.options.Unordered) > 0 {
		w.sortList(v, source)
	}
	first, length := len(w.children), len(w.path)
	w.children = appendChildren(w.children, v)
	for i := first; i < first+len(v.Elems); i++ {
		child := w.children[i]
		w.path = append(append(w.path[:length], '/'), child.segment...)
		if length == len("body") && w.part == "body" && w.call.family != nil {
			w.listed = w.call.family.listed(w.listed[:0], child.segment)
		}
		w.value(child.value, source)
	}
	w.children, w.path = w.children[:first], w.path[:length]
	if v.Kind == exactjson.Array && v.Text != "" {
		w.order(v.Text)
	}
}

// order adds the order in which the elements of the list at the path were sent: it chooses,
// and does not match unless the user says so.
func (w *walker) order(sent string) {
	line := Line{string(w.path) + "/order", `"` + strings.TrimSuffix(sent, ", ") + `"`}
	switch {
	case w.options.selected(w.options.Ignore, line.Path, ""):
	case w.options.selected(w.options.Match, line.Path, ""):
		w.begin([]byte(line.Path))
		w.text = append(w.text, line.Value...)
	default:
		w.call.Orders = append(w.call.Orders, line)
		w.call.Traits = append(w.call.Traits, Trait{line.Path, hash(fnvOffset, line.Value), bookkeeping})
	}
}

// source returns where a value of the body was sent, "" if that is its path. What a
// rewrite made was sent where its parent was, unless that is the whole body.
func (w *walker) source(v *exactjson.Value, parent string) string {
	source := parent
	switch {
	case w.part != "body":
		return ""
	case v.ID > 0:
		source = w.call.sources[v.ID]
	case parent == "body":
		return ""
	}
	if w.call.sent != nil && source != "" {
		w.call.sent[string(w.path)] = source
	}
	return source
}

// leaf adds a field to the form.
func (w *walker) leaf(v *exactjson.Value, source string) {
	switch level := w.level(v, source); level {
	case ignored:
	case identity:
		w.begin(w.path)
		w.text = w.options.appendValue(w.text, v)
	default:
		w.drifted = w.options.appendValue(w.drifted[:0], v)
		line := Line{string(w.path), string(w.drifted)}
		w.call.Drift = append(w.call.Drift, line)
		w.call.trait(level, line.Path, line.Value)
		if level == anew {
			w.call.Anew = append(w.call.Anew, line.Path)
		}
	}
}

// level returns the level of the field at the path, which has this value; v may be nil.
func (w *walker) level(v *exactjson.Value, source string) level {
	level := identity
	if w.part != "body" {
		name, _, _ := strings.Cut(strings.TrimPrefix(string(w.path[len(w.part):]), "/"), "/")
		level = w.call.level(w.part, name)
	} else if i := slices.IndexFunc(w.listed, func(l listedField) bool { return fieldpath.Match(l.pattern, string(w.path)) }); i >= 0 {
		level = w.listed[i].level
	}
	if level == identity && w.call.isAnew(w.path, v) {
		level = anew
	}
	if level != sampling && !w.options.selects() {
		return level
	}
	return w.options.level(w.call.Form, level, string(w.path), source)
}
