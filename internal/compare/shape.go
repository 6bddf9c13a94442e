package compare

import (
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// A shape is what the values at one place have in common. The elements of a list are one
// place. Null is no value: some servers leave out what others send as null.
type shape struct {
	samples  map[exactjson.Kind]*exactjson.Value // the first value of each kind
	elements *shape                              // of lists
	count    int                                 // of all elements
	objects  map[string]*object                  // by the type that objects name, "" if none
}

// An object is what the objects of one type have in common.
type object struct {
	count   int // how many there are
	members map[string]*shape
	has     map[string]int // how many have a member
}

// add adds a value to the shape.
func (s *shape) add(v *exactjson.Value) {
	if v.Kind == exactjson.Null {
		return
	}
	if s.samples == nil {
		s.samples, s.objects = map[exactjson.Kind]*exactjson.Value{}, map[string]*object{}
	}
	if s.samples[v.Kind] == nil {
		s.samples[v.Kind] = v
	}
	switch v.Kind {
	case exactjson.Array:
		if s.elements == nil {
			s.elements = new(shape)
		}
		s.count += len(v.Elems)
		for i := range v.Elems {
			s.elements.add(&v.Elems[i])
		}
	case exactjson.Object:
		typ := typeOf(v)
		o := s.objects[typ]
		if o == nil {
			o = &object{members: map[string]*shape{}, has: map[string]int{}}
			s.objects[typ] = o
		}
		o.add(v)
	}
}

func (o *object) add(v *exactjson.Value) {
	o.count++
	for i := range v.Elems {
		m := &v.Elems[i]
		if m.Kind == exactjson.Null {
			continue
		}
		if o.members[m.Name] == nil {
			o.members[m.Name] = new(shape)
		}
		o.members[m.Name].add(m)
		o.has[m.Name]++
	}
}

// typeOf returns the type that an object names, "" if it names none.
func typeOf(v *exactjson.Value) string {
	if t := member(v, "type"); t != nil && t.Kind == exactjson.String {
		return t.Text
	}
	return ""
}

// sample returns the first value at the place.
func (s *shape) sample() *exactjson.Value {
	for _, kind := range slices.Sorted(maps.Keys(s.samples)) {
		return s.samples[kind]
	}
	return nil
}

// compareShapes lists where the shapes of two values at a place differ. says are the
// places that are not compared, see [canon.Form.Says]; if it is nil, the answers have no
// wording, and the lengths of their lists are compared.
func compareShapes(at place, says []string, recorded, live *exactjson.Value) []diff.Edit {
	var was, is shape
	was.add(recorded)
	is.add(live)
	c := shapes{says: says, counts: says == nil}
	c.compare(at, &was, &is)
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

// compare compares what stands at a place.
func (c *shapes) compare(at place, was, is *shape) {
	if slices.Contains(c.says, at.path) || slices.Contains(c.says, at.plain) {
		return
	}
	a, b := was.sample(), is.sample()
	if a == nil || b == nil {
		return
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(was.samples)), func(k exactjson.Kind) bool { return is.samples[k] != nil }) {
		c.changed(at, a, b, "")
		return
	}
	for _, typ := range slices.Sorted(maps.Keys(was.objects)) {
		if other := is.objects[typ]; other != nil {
			c.members(at.ofType(typ), was.objects[typ], other)
		}
	}
	if was.elements != nil && is.elements != nil {
		if was.count != is.count && (c.counts || isVector(at)) {
			c.changed(at, number(was.count), number(is.count), "a different number of elements")
		}
		c.compare(at.step("*"), was.elements, is.elements)
	}
	a, b = was.samples[exactjson.String], is.samples[exactjson.String]
	if isVector(at) && a != nil && b != nil && len(a.Text) != len(b.Text) {
		c.changed(at, number(len(a.Text)), number(len(b.Text)), "a different number of bytes")
	}
}

// members compares the members of objects. One that all objects of a side have, and none
// of the other side, has appeared or disappeared. What only some have may be chance.
func (c *shapes) members(at place, was, is *object) {
	names := slices.Collect(maps.Keys(was.members))
	names = slices.AppendSeq(names, maps.Keys(is.members))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if isChance(name) || slices.Contains(besideText, name) {
			continue
		}
		a, b, next := was.members[name], is.members[name], at.step(name)
		switch {
		case a != nil && b != nil:
			c.compare(next, a, b)
		case slices.Contains(c.says, next.path) || slices.Contains(c.says, next.plain):
		case a != nil && was.has[name] == was.count:
			c.changed(next, a.sample(), nil, "")
		case b != nil && is.has[name] == is.count:
			c.changed(next, nil, b.sample(), "")
		}
	}
}

func (c *shapes) changed(at place, was, is *exactjson.Value, note string) {
	c.edits = append(c.edits, diff.Edit{Path: at.path, Recorded: compact(was), Incoming: compact(is), Note: note, Live: true})
}

// isVector reports whether a place has embeddings. The numbers of one differ a little from
// answer to answer, and their count is what its reader has to rely on. It may be in
// base64.
func isVector(at place) bool {
	return strings.HasPrefix(at.plain, "embedding") || strings.Contains(at.plain, "/embedding")
}
