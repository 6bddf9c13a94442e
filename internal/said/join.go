package said

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// A node is a value that is put together from the events of a stream.
type node struct {
	name string          // of a member, or what tells an element from the others
	v    exactjson.Value // what is there, but for what follows
	text []byte          // of a text that grows
	kids []*node         // of an object or a list that changes
}

// take puts what an event tells where it stands in a whole answer.
func (n *node) take(p *canon.Piece, event *exactjson.Value) {
	at(event, p.In, func(from *exactjson.Value) {
		at(from, p.At, func(v *exactjson.Value) {
			to, steps := n, exactjson.StepsOf(p.To)
			for i := range steps {
				to = to.step(steps[i:], from, v)
			}
			if p.Grow == nil {
				to.set(v, p.To == "")
			} else {
				to.add(v, p.Grow, slices.Contains(p.Grow, ""))
			}
		})
	})
}

// step goes to a member, to the element that a value of the event names ("{index}"), or
// to a new one ("+"); a condition says of what type an object without one is.
func (n *node) step(steps exactjson.Steps, from, v *exactjson.Value) *node {
	s := steps[0]
	switch path, isKey := strings.CutPrefix(s.Name, "{"); {
	case isKey:
		key := "0"
		if len(steps) > 1 && steps[1].Values != nil {
			key = steps[1].Values[0] // some servers do not number what they send
		}
		at(from, strings.TrimSuffix(path, "}"), func(v *exactjson.Value) { key = v.Scalar() })
		return n.kid(exactjson.Array, key)
	case s.Name == "+":
		return n.element(v, 0, true)
	case s.Values == nil:
		return n.kid(exactjson.Object, s.Name)
	}
	if k := n.kid(exactjson.Object, s.Name); k.v.Kind == exactjson.Null {
		k.v = exactjson.Value{Kind: exactjson.String, Text: s.Values[0]}
	}
	return n
}

// kid returns the member of an object, or the element of a list, of this name.
func (n *node) kid(kind exactjson.Kind, name string) *node {
	n.open(kind)
	i := slices.IndexFunc(n.kids, func(k *node) bool { return k.name == name })
	if i < 0 {
		i = len(n.kids)
		n.kids = append(n.kids, &node{name: name})
	}
	return n.kids[i]
}

// open makes kids of what is there. A text becomes the first element of a list.
func (n *node) open(kind exactjson.Kind) {
	if was := *n; n.v.Kind != kind {
		*n = node{name: n.name, v: exactjson.Value{Kind: kind}}
		if kind == exactjson.Array && was.v.Kind == exactjson.String && (was.v.Text != "" || was.text != nil) {
			n.kids = []*node{{"+", was.v, was.text, nil}}
		}
	}
	for i := range n.v.Elems {
		e := &n.v.Elems[i]
		k := &node{e.Name, *e, nil, nil}
		if kind == exactjson.Array {
			k.name = keyOf(e, i)
		}
		n.kids = append(n.kids, k)
	}
	n.v.Elems = nil
}

// keyOf returns what tells an element of a list apart: its index, else its place.
func keyOf(e *exactjson.Value, i int) string {
	if index := e.Member("index").Scalar(); index != "" {
		return index
	}
	return strconv.Itoa(i)
}

// element returns the node of an element of a list. In a list that grows, one without an
// index or an id goes on with the last one, or is a new one.
func (n *node) element(e *exactjson.Value, i int, grow bool) *node {
	n.open(exactjson.Array)
	key, count := keyOf(e, i), len(n.kids)
	switch id := e.Member("id").Scalar(); {
	case e.Member("index") != nil:
	case !grow:
	case id != "":
		key = id
	case count > 0 && n.kids[count-1].goesOn(e):
		return n.kids[count-1]
	default:
		key = "+" + strconv.Itoa(count)
	}
	return n.kid(exactjson.Array, key)
}

// goesOn reports whether an element goes on with the one before it: a text with a text of
// the same type, or a call whose name was said.
func (n *node) goesOn(e *exactjson.Value) bool {
	if f := e.Member("function"); f != nil || e.Kind == exactjson.String {
		return n.v.Kind == e.Kind && f.Member("name").Scalar() == ""
	}
	for _, name := range []string{"text", "type", "thought"} {
		was, is := n.member(name), e.Member(name)
		if name == "text" && (was.Kind != exactjson.String || is == nil) || name != "text" && was.Text != is.Scalar() {
			return false
		}
	}
	return true
}

// member returns what a member was before it grew.
func (n *node) member(name string) (v exactjson.Value) {
	for _, k := range n.kids {
		if k.name == name {
			return k.v
		}
	}
	if m := n.v.Member(name); m != nil {
		v = *m
	}
	return v
}

// constant are the members of pieces that each piece repeats, or that stand in one only.
var constant = []string{"id", "type", "role", "object", "format"}

// set takes what an event has whole; a part of it, if there is more beside it.
func (n *node) set(v *exactjson.Value, part bool) {
	if !part {
		*n = node{name: n.name, v: *v}
		return
	}
	for i := range v.Elems {
		if m := &v.Elems[i]; m.Kind != exactjson.Null && (m.Kind != exactjson.Array || len(m.Elems) > 0) {
			n.kid(exactjson.Object, m.Name).set(m, false)
		}
	}
}

// add adds what an event tells: members to members, elements to those of the same index,
// texts behind each other where they grow. Everything else takes the place of what was
// there.
func (n *node) add(v *exactjson.Value, grows []string, grow bool) {
	switch {
	case v.Kind == exactjson.Null:
	case v.Kind == exactjson.Object && (len(v.Elems) > 0 || n.v.Kind == exactjson.Object):
		for i := range v.Elems {
			m := &v.Elems[i]
			name := m.Name
			switch {
			case name == "delta":
				name = "message" // what a choice of a chat is whole
			case name == "message" && v.Member("delta") != nil:
				continue // all that was said so far, beside what is new
			}
			below, grown := into(grows, m.Name)
			n.kid(exactjson.Object, name).add(m, below, grow || grown)
		}
	case v.Kind == exactjson.Array && len(v.Elems) == 0 && n.v.Kind == exactjson.Array:
	case v.Kind == exactjson.Array && (grow || len(v.Elems) > 0 && v.Elems[0].Kind == exactjson.Object):
		below, grown := into(grows, "*")
		for i := range v.Elems {
			n.element(&v.Elems[i], i, grow).add(&v.Elems[i], below, grow || grown)
		}
	case grow && v.Kind == exactjson.String && n.v.Kind == exactjson.Array:
		n.element(v, 0, true).add(v, nil, true)
	case grow && v.Kind == exactjson.String && n.v.Kind == exactjson.String:
		was := n.v.Text
		if n.text != nil {
			was = ""
		}
		if slices.Contains(constant, n.name) || n.name == "name" && was == v.Text {
			return
		}
		n.text = append(append(n.text, was...), v.Text...)
		n.v.Text = ""
	default:
		*n = node{name: n.name, v: *v}
	}
}

// into returns the paths that go on behind a name, and whether one ends with it.
func into(paths []string, name string) (below []string, ends bool) {
	for _, p := range paths {
		first, rest, deeper := strings.Cut(p, "/")
		if first == name && deeper {
			below = append(below, rest)
		}
		ends = ends || first == name && !deeper
	}
	return below, ends
}

// value returns what was put together.
func (n *node) value() exactjson.Value {
	v := n.v
	v.Name = n.name
	if n.text != nil {
		v.Text = string(n.text)
	}
	for _, k := range n.kids {
		v.Elems = append(v.Elems, k.value())
	}
	return v
}
