package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
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
	w := &walker{request: request{Form: f, options: o}}
	w.classify(o, req, traced || o.selects())
	for selector, paths := range o.Only {
		if Selects(selector, f.Name()) {
			f.only = append(f.only, paths...)
		}
	}
	w.walk()
	return f
}

// A walker writes the fields of a request to its form.
type walker struct {
	request
	at   []byte // the path of the field
	part string // of the request: the first segment of it
	buf  []byte // for the value of a field
}

// walk walks the parts of the request in the order of their names.
func (w *walker) walk() {
	origin := w.Origin
	if w.local { // names and ports of local hosts change from machine to machine
		origin = urls.LocalHosts
	}
	w.root("body", w.body)
	if w.encoding == multipartBody || w.encoding == formBody {
		w.root("encoding", stringValue(string(w.encoding)))
	}
	w.root("header", w.header)
	if !w.Function {
		w.root("host", stringValue(origin))
	}
	if level := w.level(nil, ""); w.local && level != ignored { // which of them it is only chooses
		w.Local = level == identity
		w.trait(host, "host", w.options.Masked("host", w.Origin))
	}
	w.root("host/model", w.hostModel)
	w.root("path", w.path)
	w.root("query", w.query)
	w.setText()
}

// root walks a part of the request, if there is one.
func (w *walker) root(part string, v exactjson.Value) {
	if v.Kind == exactjson.Null || part != "body" && v.Kind == exactjson.Object && len(v.Elems) == 0 {
		return
	}
	w.part, w.at = part, append(w.at[:0], part...)
	w.value(&v, "")
}

// value walks v in place. A container that is empty is a leaf. It is given where its
// parent was sent.
func (w *walker) value(v *exactjson.Value, source string) {
	if w.sources != nil {
		source = w.source(v, source)
	}
	if len(v.Elems) == 0 {
		w.leaf(v, source)
		return
	}
	if v.Kind == exactjson.Array && len(w.options.Unordered) > 0 {
		w.sortList(v, source)
	}
	length := len(w.at)
	for _, child := range children(v) {
		w.at = append(append(w.at[:length], '/'), child.segment...)
		w.value(child.value, source)
	}
	w.at = w.at[:length]
	if v.Kind == exactjson.Array && v.Text != "" {
		w.order(v.Text)
	}
}

// order adds the order in which the elements of the list at the path were sent: it chooses,
// and does not match unless the user says so.
func (w *walker) order(sent string) {
	line := Line{string(w.at) + "/order", `"` + strings.TrimSuffix(sent, ", ") + `"`}
	switch {
	case w.options.selected(w.options.Ignore, line.Path, ""):
	case w.options.selected(w.options.Match, line.Path, ""):
		w.lines = append(w.lines, line)
	default:
		w.Orders = append(w.Orders, line)
		w.Traits = append(w.Traits, Trait{line.Path, hash(0, line.Value), bookkeeping})
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
		source = w.sources[v.ID]
	case parent == "body":
		return ""
	}
	if w.sent != nil && source != "" {
		w.sent[string(w.at)] = source
	}
	return source
}

// leaf adds a field to the form.
func (w *walker) leaf(v *exactjson.Value, source string) {
	level, path := w.level(v, source), string(w.at)
	if level == ignored {
		return
	}
	w.buf = w.options.appendValue(w.buf[:0], path, v)
	line := Line{path, string(w.buf)}
	if level == identity {
		w.lines = append(w.lines, line)
		return
	}
	w.Drift = append(w.Drift, line)
	w.trait(level, line.Path, line.Value)
	if level == anew {
		w.Anew = append(w.Anew, line.Path)
	}
}

// level returns the level of the field at the path, which has this value; v may be nil.
func (w *walker) level(v *exactjson.Value, source string) level {
	level, path := identity, string(w.at)
	if w.part != "body" {
		name, _, _ := strings.Cut(strings.TrimPrefix(path[len(w.part):], "/"), "/")
		level = w.request.level(w.part, name)
	} else if w.family != nil {
		level = w.family.level(path)
	}
	if level == identity && w.isAnew(w.at, v) {
		level = anew
	}
	return w.options.level(w.Form, level, path, source)
}

// sortList sorts the list at the path by what of its elements matches, if its order means
// nothing. It keeps the places at which they were sent as the list's text.
func (w *walker) sortList(list *exactjson.Value, source string) {
	path := string(w.at)
	i := slices.IndexFunc(w.options.Unordered, func(p string) bool { // lists below it are others
		return selects(p, path, source) && !selects(p, above(path), above(source))
	})
	if i < 0 || list.Text != "" {
		return
	}
	w.options.hit(w.options.Unordered[i])
	sent, keys, order := slices.Clone(list.Elems), make([]string, len(list.Elems)), make([]int, len(list.Elems))
	for i := range sent {
		lines, drift, traits := len(w.lines), len(w.Drift), len(w.Traits)
		w.at = append(w.at[:len(path)], "/0"...) // in any place, it has the same text
		w.value(&sent[i], source)
		keys[i], order[i] = textOf("", w.lines[lines:]), i
		w.lines, w.Drift, w.Traits = w.lines[:lines], w.Drift[:drift], w.Traits[:traits]
	}
	w.at = w.at[:len(path)]
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	for i, place := range order {
		list.Elems[i] = sent[place]
		list.Text += strconv.Itoa(place) + ", "
	}
}

// above returns the path of what holds the field at a path, or "" if nothing does.
func above(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
