// Package transcript describes the responses of model APIs: the paths of their texts, tool
// calls and finish reasons. It also joins the events of a stream to the response that the
// API would send without streaming, as the SDKs do. The descriptions of the APIs are data
// of package canon.
package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A Transcript describes the responses of one API. Its paths are those of
// [exactjson.Steps] in a response without streaming; each path of a list is read.
//
// Calls and Results must name all types of blocks that are not text: a block of an unknown
// type may be a call, so it is read as one.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []Call // tool calls, which the program or the provider carries out
	Results   []Call // results of the provider's own tools, pictures and sounds
	Finish    []string

	// Pieces describes the events of a stream. Without it, each event is read as a response.
	Pieces []Piece

	// ResponseID and Last tell apart the responses of a session, in which there are several, one
	// after the other or at once. ResponseID lists the paths where an event can have the ID of its
	// response, or of a series of responses that follow each other. Last is the path of a value
	// that only the last event of a response has. Without them, all events are of one response.
	ResponseID []string
	Last       string
}

// Key returns the ID of the response, or of the series of responses, to which an event
// belongs. It returns "" if the event has none.
func (t *Transcript) Key(event *exactjson.Value) (key string) {
	for _, path := range t.ResponseID {
		event.Each(path, func(v *exactjson.Value) { key = cmp.Or(key, v.Scalar()) })
	}
	return key
}

// IsLast reports whether an event is the last one of its response.
func (t *Transcript) IsLast(event *exactjson.Value) (last bool) {
	if t.Last != "" {
		event.Each(t.Last, func(*exactjson.Value) { last = true })
	}
	return last
}

// A Call is a row of a table of tool calls, or of results: the path of the blocks, then the
// paths of their names and of their arguments. The latter two are lists of paths below the
// block, separated by spaces.
type Call [3]string

// At returns the path of the blocks.
func (c Call) At() string { return c[0] }

// Name returns the paths of texts that, joined with dots, are the name of a call. The path
// "=NAME" is a name itself, and "." is the name of the member that is the block.
func (c Call) Name() string { return c[1] }

// Args returns the paths of the arguments: one value, or an object if there are several or
// the path has a slash. Without paths, the arguments are the whole block; so they are at
// ".", the last of the paths, if the block has none of the others.
func (c Call) Args() string { return c[2] }

// A Piece describes one part of an event of a stream, and its place in the response.
type Piece struct {
	// At is the path of the part in the event; "" is the whole event.
	At string

	// To is the path in the response. In it, "{a.index}" is the element of a list that the
	// event numbers at a/index, "+" is a new element, and "type=x" sets the type of an
	// object that has none.
	To string

	// Grow has the members below At whose texts and lists are continued by the part, or "*"
	// for all members. If Grow is nil, the part replaces the value at To.
	Grow []string
}

// Said is the ID of the values that [Transcript.Mark] marks.
const Said = 1

// Mark sets the ID of the texts, tool calls and results in a response to [Said]: whether a
// response has them differs from one to the next. Refusals stay unmarked, since programs
// that read the text of a response do not read its refusal.
func (t *Transcript) Mark(response *exactjson.Value) {
	paths := slices.Concat(t.Text, t.Reasoning, group.Each(t.Calls, Call.At))
	for _, c := range t.Results {
		if c.Args() == "" {
			paths = append(paths, c.At())
		}
		for name := range strings.FieldsSeq(c.Args()) {
			paths = append(paths, c.At()+"/"+name)
		}
	}

	for _, path := range paths {
		// Where a response can have a list of blocks, it can have a text: mark either.
		steps := exactjson.StepsOf(strings.TrimSuffix(path, "/*"))
		if len(steps) == 0 {
			continue
		}
		last := steps[len(steps)-1]
		if last.Values == nil && last.Name != "refusal" {
			steps.Each(response, func(v *exactjson.Value) { v.ID = Said })
		}
	}
}

// A Joined is a response, or a value in one, that the events of a stream build up.
type Joined struct {
	name     string          // of a member; for an element of a list, its key (see keyOf)
	v        exactjson.Value // the value without text and children
	text     []byte          // a text that grows, behind v.Text
	children []*Joined       // members or elements, behind v.Elems
}

// Take adds an event to the response: each part of the event that a row of t.Pieces
// describes goes to its place.
func (j *Joined) Take(t *Transcript, event *exactjson.Value) {
	for _, p := range t.Pieces {
		exactjson.StepsOf(p.At).Each(event, func(part *exactjson.Value) {
			to := j
			steps := exactjson.StepsOf(p.To)
			for i := range steps {
				to = to.step(steps[i:], event)
			}
			to.take(p, part)
		})
	}
}

// take adds a part of an event to the value at its place.
func (j *Joined) take(p Piece, part *exactjson.Value) {
	isWholeResponse := p.To == ""
	switch {
	case p.Grow != nil:
		j.add(part, p.Grow, p.Grow[0] == "*")
	case !isWholeResponse:
		j.set(part)
	default:
		// Earlier events can have filled the members that are missing or empty here.
		for i := range part.Elems {
			m := &part.Elems[i]
			isEmptyList := m.Kind == exactjson.Array && len(m.Elems) == 0
			if !isEmptyList {
				j.child(exactjson.Object, m.Name).set(m)
			}
		}
	}
}

// step returns the value that the first of steps leads to. The steps are those of
// [Piece.To].
func (j *Joined) step(steps exactjson.Steps, event *exactjson.Value) *Joined {
	s := steps[0]
	index, isIndex := strings.CutPrefix(s.Name, "{")
	switch {
	case isIndex:
		// Some servers do not number the elements. Then those of one type are one element.
		key := "0"
		if len(steps) > 1 && steps[1].Values != nil {
			key = steps[1].Values[0]
		}
		path := strings.ReplaceAll(strings.TrimSuffix(index, "}"), ".", "/")
		event.Each(path, func(v *exactjson.Value) { key = v.Scalar() })
		return j.child(exactjson.Array, key)
	case s.Name == "+":
		return j.child(exactjson.Array, s.Name)
	case s.Values == nil:
		return j.child(exactjson.Object, s.Name)
	}

	member := j.child(exactjson.Object, s.Name)
	if member.v.Kind == exactjson.Null {
		member.v = exactjson.Value{Kind: exactjson.String, Text: s.Values[0]}
	}
	return j
}

// child returns the member of an object, or the element of a list, with a name. It makes
// the child if there is none, and always for the name "+". A value of another kind is
// replaced by an empty object or list.
func (j *Joined) child(kind exactjson.Kind, name string) *Joined {
	if j.v.Kind != kind {
		*j = Joined{name: j.name, v: exactjson.Value{Kind: kind}}
	}
	j.splitElems()
	if name != "+" {
		for _, c := range j.children {
			if c.name == name {
				return c
			}
		}
	}
	c := &Joined{name: name}
	j.children = append(j.children, c)
	return c
}

// splitElems makes children of the members or elements, so that they can change.
func (j *Joined) splitElems() {
	for i, e := range j.v.Elems {
		c := &Joined{name: e.Name, v: e}
		if j.v.Kind == exactjson.Array {
			c.name = keyOf(&e, i, false)
		}
		j.children = append(j.children, c)
	}
	j.v.Elems = nil
}

// keyOf returns the key of an element of a list: elements of two events that have the same
// key are one element of the response. The key is the member "index", or else
//
//   - the position i, if the list does not grow;
//   - the member "id", if the list grows;
//   - "+", for an element that is always new, if there is no ID either.
func keyOf(e *exactjson.Value, i int, grows bool) string {
	index := e.Member("index").Scalar()
	id := e.Member("id").Scalar()
	switch {
	case index != "":
		return index
	case !grows:
		return strconv.Itoa(i)
	case id != "":
		return id
	}
	return "+"
}

// constant are members whose texts are never continued: an event has all of the text.
var constant = []string{"id", "type", "role", "object", "format"}

// add adds a part of an event: members to members, and elements to elements with the same
// key. Where the value grows, a text is appended. Any other part replaces the value.
func (j *Joined) add(part *exactjson.Value, grow []string, grows bool) {
	hasElems := len(part.Elems) > 0
	continuesText := grows && part.Kind == exactjson.String
	switch part.Kind {
	case exactjson.Null:
		return
	case exactjson.Object:
		if hasElems || j.v.Kind == exactjson.Object {
			j.addMembers(part, grow, grows)
			return
		}
	case exactjson.Array:
		if !hasElems && len(j.children) > 0 {
			return
		}
		isOfObjects := hasElems && part.Elems[0].Kind == exactjson.Object
		if grows || isOfObjects {
			for i := range part.Elems {
				e := &part.Elems[i]
				j.child(exactjson.Array, keyOf(e, i, grows)).add(e, grow, grows)
			}
			return
		}
	}

	switch {
	case continuesText && j.v.Kind == exactjson.Array:
		j.child(exactjson.Array, "+").set(part)
	case continuesText && j.v.Kind == exactjson.String:
		j.addText(part.Text)
	default:
		j.set(part)
	}
}

// addMembers adds the members of a part of an event.
func (j *Joined) addMembers(part *exactjson.Value, grow []string, grows bool) {
	hasDelta := part.Member("delta") != nil
	for i := range part.Elems {
		m := &part.Elems[i]
		name := m.Name
		switch {
		case name == "delta":
			name = "message" // so it is called in a choice of a chat without streaming
		case name == "message" && hasDelta:
			continue // the whole message so far, which some servers send with each delta
		}
		j.child(exactjson.Object, name).add(m, grow, grows || slices.Contains(grow, m.Name))
	}
}

// addText appends a text. Of a name, a piece that equals it is the name again.
func (j *Joined) addText(text string) {
	isRepeatedName := j.name == "name" && j.v.Text == text
	if isRepeatedName || slices.Contains(constant, j.name) {
		return
	}
	j.text = append(j.text, j.v.Text...)
	j.text = append(j.text, text...)
	j.v.Text = ""
}

// set replaces the value.
func (j *Joined) set(v *exactjson.Value) { *j = Joined{name: j.name, v: *v} }

// Value returns the response as far as events have built it up.
func (j *Joined) Value() exactjson.Value {
	v := j.v
	v.Name = j.name
	v.Text += string(j.text)
	v.Elems = append(v.Elems, group.Each(j.children, (*Joined).Value)...)
	return v
}
