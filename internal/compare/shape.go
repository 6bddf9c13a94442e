package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// nodes are the values that stand at one place; the elements of a list are one place.
type nodes []*exactjson.Value

// by returns values in groups. Null is no value: some servers leave out what others send as
// null.
func by[K comparable](all nodes, key func(*exactjson.Value) K) map[K]nodes {
	groups := map[K]nodes{}
	for _, v := range all {
		if v.Kind != exactjson.Null {
			groups[key(v)] = append(groups[key(v)], v)
		}
	}
	return groups
}

// elems returns the elements of lists, or the members of objects.
func (all nodes) elems() (elems nodes) {
	for _, v := range all {
		for i := range v.Elems {
			elems = append(elems, &v.Elems[i])
		}
	}
	return elems
}

func kindOf(v *exactjson.Value) exactjson.Kind { return v.Kind }

func nameOf(v *exactjson.Value) string { return v.Name }

// typeOf returns the type that an object names, "" if it names none.
func typeOf(v *exactjson.Value) string {
	if t := member(v, "type"); t != nil && t.Kind == exactjson.String {
		return t.Text
	}
	return ""
}

// sample returns the first value of the first kind, or nil.
func (all nodes) sample() *exactjson.Value {
	kinds := by(all, kindOf)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		return kinds[kind][0]
	}
	return nil
}

// compareShapes lists where the shapes of two values at a place differ. says are the
// places that are not compared, see [canon.Form.Says]; if it is nil, the answers have no
// wording, and the lengths of their lists are compared.
func compareShapes(at place, says []string, recorded, live *exactjson.Value) []diff.Edit {
	c := shapes{says: says, counts: says == nil}
	c.compare(at, nodes{recorded}, nodes{live})
	return c.edits
}

// shapes compares the shapes of two answers.
type shapes struct {
	says   []string
	counts bool // the lengths of all lists are compared
	edits  []diff.Edit
}

// A place is where a value stands, for people and without the types on the way.
type place struct{ path, plain string }

func (p place) step(name string) place {
	return place{strings.TrimPrefix(p.path+"/"+name, "/"), strings.TrimPrefix(p.plain+"/"+name, "/")}
}

// ofType returns the place of the objects of a type among those at a place.
func (p place) ofType(typ string) place {
	if typ != "" {
		p.path += "/type=" + typ
	}
	return p
}

// isSaid reports whether a place is one of those that are not compared.
func (c *shapes) isSaid(at place) bool {
	return slices.Contains(c.says, at.path) || slices.Contains(c.says, at.plain)
}

// compare compares what stands at a place.
func (c *shapes) compare(at place, was, is nodes) {
	a, b := by(was, kindOf), by(is, kindOf)
	if c.isSaid(at) || len(a) == 0 || len(b) == 0 {
		return
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(k exactjson.Kind) bool { return b[k] != nil }) {
		c.changed(at, compact(was.sample()), compact(is.sample()), "")
		return
	}
	wasOf, isOf := by(a[exactjson.Object], typeOf), by(b[exactjson.Object], typeOf)
	for _, typ := range slices.Sorted(maps.Keys(wasOf)) {
		if isOf[typ] != nil {
			c.members(at.ofType(typ), wasOf[typ], isOf[typ])
		}
	}
	if a[exactjson.Array] != nil && b[exactjson.Array] != nil {
		was, is := a[exactjson.Array].elems(), b[exactjson.Array].elems()
		if len(was) != len(is) && (c.counts || isVector(at)) {
			c.changed(at, strconv.Itoa(len(was)), strconv.Itoa(len(is)), "a different number of elements")
		}
		c.compare(at.step("*"), was, is)
	}
	s, t := a[exactjson.String], b[exactjson.String]
	if isVector(at) && s != nil && t != nil && len(s[0].Text) != len(t[0].Text) {
		c.changed(at, strconv.Itoa(len(s[0].Text)), strconv.Itoa(len(t[0].Text)), "a different number of bytes")
	}
}

// members compares the members of objects. One that all objects of a side have, and none
// of the other side, has appeared or disappeared. What only some have may be chance.
func (c *shapes) members(at place, was, is nodes) {
	wasOf, isOf := by(was.elems(), nameOf), by(is.elems(), nameOf)
	names := slices.Collect(maps.Keys(wasOf))
	names = slices.AppendSeq(names, maps.Keys(isOf))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if isChance(name) || slices.Contains(besideText, name) {
			continue
		}
		a, b, next := wasOf[name], isOf[name], at.step(name)
		switch {
		case a != nil && b != nil:
			c.compare(next, a, b)
		case c.isSaid(next):
		case len(a) == len(was):
			c.changed(next, compact(a.sample()), "", "")
		case len(b) == len(is):
			c.changed(next, "", compact(b.sample()), "")
		}
	}
}

func (c *shapes) changed(at place, was, is, note string) {
	c.edits = append(c.edits, diff.Edit{Path: at.path, Recorded: was, Incoming: is, Note: note, Live: true})
}

// isVector reports whether a place has embeddings. The numbers of one differ a little from
// answer to answer, and their count is what its reader has to rely on. It may be in
// base64.
func isVector(at place) bool {
	return strings.HasPrefix(at.plain, "embedding") || strings.Contains(at.plain, "/embedding")
}
