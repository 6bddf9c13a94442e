package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// Form returns the form of a redacted request under the options.
func (o *Options) Form(req *interaction.Request) *Form { return o.form(req, false) }

// Trace returns the same form as [Options.Form]. It also notes where each field
// was sent; see [Form.Sent].
func (o *Options) Trace(req *interaction.Request) *Form { return o.form(req, true) }

// form returns the form of a request, with the paths of the request if it is
// traced.
func (o *Options) form(req *interaction.Request, traced bool) *Form {
	f := &Form{}
	if traced {
		f.sent = map[string]string{}
	}
	w := &walker{request: request{Form: f, options: o}}
	w.classify(req, traced || o.selects())
	for selector, paths := range o.Only {
		if Selects(selector, f.Name()) {
			f.bodyOnly = append(f.bodyOnly, paths...)
		}
	}
	w.walk()
	return f
}

// A walker writes the fields of a request to its form.
type walker struct {
	request
	fieldPath []byte // the path of the current field
	part      string // the first segment of fieldPath, or "host/model"
	buf       []byte // for the value of a field; kept to save allocations
}

// walk writes all parts of the request, in the order of their names.
func (w *walker) walk() {
	w.writePart("body", w.body)
	if w.encoding == multipartBody || w.encoding == formBody {
		w.writePart("encoding", stringValue(string(w.encoding)))
	}
	w.writePart("header", w.header)
	w.writeHost()
	w.writePart("host/model", w.hostModel)
	w.writePart("path", w.path)
	w.writePart("query", w.query)
	w.setText()
}

// writeHost writes the origin. Names and ports of local hosts differ from
// machine to machine, so all local hosts match. Which one it was helps to
// choose among recordings.
func (w *walker) writeHost() {
	origin := w.Origin
	if w.local {
		origin = urls.LocalHosts
	}
	if !w.Function {
		w.writePart("host", stringValue(origin))
	}
	if !w.local {
		return
	}
	level := w.level(nil, "")
	if level == levelIgnored {
		return
	}
	w.Local = level == levelIdentity
	w.addTrait(levelHost, "host", w.options.Masked("host", w.Origin))
}

// writePart writes a part of the request unless it is missing or empty. An
// empty body is written.
func (w *walker) writePart(part string, v exactjson.Value) {
	isEmptyObject := v.Kind == exactjson.Object && len(v.Elems) == 0
	if v.Kind == exactjson.Null || part != "body" && isEmptyObject {
		return
	}
	w.part = part
	w.fieldPath = append(w.fieldPath[:0], part...)
	w.writeValue(&v, "")
}

// writeValue writes v and all values below it. v is at w.fieldPath of the form.
// parentSource is the path at which v's parent was sent.
func (w *walker) writeValue(v *exactjson.Value, parentSource string) {
	source := parentSource
	if w.sources != nil {
		source = w.source(v, parentSource)
	}
	if len(v.Elems) == 0 {
		w.writeField(v, source)
		return
	}
	if v.Kind == exactjson.Array && len(w.options.Unordered) > 0 {
		w.sortList(v, source)
	}

	length := len(w.fieldPath)
	lines := len(w.lines)
	for _, child := range children(v) {
		w.fieldPath = append(w.fieldPath[:length], '/')
		w.fieldPath = append(w.fieldPath, child.segment...)
		w.writeValue(child.value, source)
	}
	w.fieldPath = w.fieldPath[:length]
	hasOnlyName := len(w.lines) == lines && w.isKind()
	if hasOnlyName {
		w.writeField(&exactjson.Value{Kind: exactjson.Object}, source)
	}

	// Functions that sort a list note the order that it had in its text.
	isSortedList := v.Kind == exactjson.Array && v.Text != ""
	if isSortedList {
		w.addOrder(v.Text)
	}
}

// isKind reports whether the name of the object at w.fieldPath says what a message
// is; see [Family.Kinds].
func (w *walker) isKind() bool {
	if w.family == nil || len(w.family.Kinds) == 0 || w.part != "body" {
		return false
	}
	path := string(w.fieldPath)
	member, _, _ := strings.Cut(strings.TrimPrefix(path, "body/"), "/")
	return matchesOne(w.family.Kinds, member, path)
}

// addOrder adds a line with the order in which the elements of the list at
// w.fieldPath were sent, such as "2, 0, 1, " or "search, read, ". The line helps
// to choose among recordings, and matches only if an option of the user selects
// it.
func (w *walker) addOrder(sent string) {
	line := Line{
		Path:  string(w.fieldPath) + "/order",
		Value: `"` + strings.TrimSuffix(sent, ", ") + `"`,
	}
	switch {
	case w.options.selected(w.options.Ignore, line.Path, ""):
		return
	case w.options.selected(w.options.Match, line.Path, ""):
		w.lines = append(w.lines, line)
	default:
		w.Orders = append(w.Orders, line)
		w.Traits = append(w.Traits, Trait{line.Path, hash(0, line.Value), levelBookkeeping})
	}
}

// source returns the path at which a value of the body was sent, or "" if it
// was not sent, and for other parts of the request. A value that a rewrite made
// counts as sent at its parent, unless that is the whole body.
func (w *walker) source(v *exactjson.Value, parentSource string) string {
	if w.part != "body" {
		return ""
	}
	source := parentSource
	if v.ID > 0 {
		source = w.sources[v.ID]
	} else if parentSource == "body" {
		return ""
	}
	if w.sent != nil && source != "" {
		w.sent[string(w.fieldPath)] = source
	}
	return source
}

// writeField writes the field at w.fieldPath to the list of the form that its
// level asks for.
func (w *walker) writeField(v *exactjson.Value, source string) {
	level := w.level(v, source)
	if level == levelIgnored {
		return
	}
	path := string(w.fieldPath)
	w.buf = w.options.appendValue(w.buf[:0], path, v)
	line := Line{path, string(w.buf)}
	if level == levelIdentity {
		w.lines = append(w.lines, line)
		return
	}
	w.Drift = append(w.Drift, line)
	w.addTrait(level, line.Path, line.Value)
	if level == levelGenerated {
		w.Generated = append(w.Generated, line.Path)
	}
}

// level returns the level of the field at w.fieldPath under the options. v is
// its value, or nil for the host.
func (w *walker) level(v *exactjson.Value, source string) level {
	level := levelIdentity
	path := string(w.fieldPath)
	if w.part != "body" {
		inPart := strings.TrimPrefix(path[len(w.part):], "/")
		name, _, _ := strings.Cut(inPart, "/")
		level = w.levelOutsideBody(w.part, name)
	} else if w.family != nil {
		level = w.family.level(path)
	}
	if level == levelIdentity && w.isGenerated(w.fieldPath, v) {
		level = levelGenerated
	}
	return w.options.level(w.Form, level, path, source)
}

// sortList sorts the list at w.fieldPath by the fields of its elements that
// match, if the user says that its order does not matter. The list's text then
// has the indices at which the elements were sent.
func (w *walker) sortList(list *exactjson.Value, source string) {
	path := string(w.fieldPath)
	i := slices.IndexFunc(w.options.Unordered, func(pattern string) bool {
		// A pattern also selects what is below a list. Lists in the list keep
		// their order.
		isOfParent := selects(pattern, parentOf(path), parentOf(source))
		return selects(pattern, path, source) && !isOfParent
	})
	if i < 0 || list.Text != "" {
		return
	}
	w.options.hit(w.options.Unordered[i])

	sent := slices.Clone(list.Elems)
	keys := make([]string, len(sent))
	order := make([]int, len(sent))
	for i := range sent {
		keys[i] = w.textOfElement(path, &sent[i], source)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	for i, index := range order {
		list.Elems[i] = sent[index]
		list.Text += strconv.Itoa(index) + ", "
	}
}

// textOfElement returns a text by which sortList compares the elements of a list:
// the fields of an element that match, as lines of path and value. The path is
// that of the first element for all of them, so that only the values are compared.
// For the element {"name": "search"} of body/tools, it is the line of
// body/tools/0/name with "search".
//
// It writes the element to the form, as for any value, and then removes what that
// has added.
func (w *walker) textOfElement(listPath string, element *exactjson.Value, source string) string {
	lines := len(w.lines)
	drift := len(w.Drift)
	traits := len(w.Traits)

	w.fieldPath = append(w.fieldPath[:len(listPath)], "/0"...)
	w.writeValue(element, source)
	text := textOf("", w.lines[lines:])

	w.fieldPath = w.fieldPath[:len(listPath)]
	w.lines = w.lines[:lines]
	w.Drift = w.Drift[:drift]
	w.Traits = w.Traits[:traits]
	return text
}

// parentOf returns a path without its last segment, or "" if it has only one.
func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
