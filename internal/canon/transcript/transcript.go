// Package transcript tells where the answers of models have what they say, and puts streams
// together: what their events tell becomes the answer that it would be in one piece, as the
// SDKs do it. Where that is for each API is data of package canon.
package transcript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A Transcript tells where a whole answer has what it says, by paths of [exactjson.Steps],
// and how the events of a stream make such an answer. Of paths that stand together, each is
// read. Calls and Results must know all blocks that are no text: one of an unknown type is a
// call, since nobody knows that it is not.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []Call // what the model wants done
	Results   []Call // what it was given by tools of the provider, and what it made beside texts
	Finish    []string
	Pieces    []Piece // of a stream; without them each event is read as an answer
}

// A Call tells where an answer has calls of tools, or results: where the blocks are, and below
// them their names and what is wanted. The latter two are paths with a space between them:
// names are joined with a dot, "=name" is one, and "." is that of the member itself; several
// arguments are an object. None are all of the block, and so is "." behind them where it has
// none of these.
type Call [3]string

// At returns where the blocks are.
func (c Call) At() string { return c[0] }

// Name returns the paths of their names.
func (c Call) Name() string { return c[1] }

// Args returns the paths of what is wanted.
func (c Call) Args() string { return c[2] }

// A Piece says what events tell of an answer, and where that stands in a whole one.
type Piece struct {
	At   string   // what is told, "" for all of the event
	To   string   // where it goes: "{a.index}" is the element that the event names by that path, "+" a new one, "type=x" its type
	Grow []string // the members below At whose texts and lists go on, "*" for all; nil takes the place of what was told before
}

// Said is the ID that [Transcript.Mark] gives.
const Said = 1

// Mark marks what a whole answer has as its texts, its calls of tools and results, which come
// and go from answer to answer. Refusals it leaves alone: whoever reads a text finds none.
func (t *Transcript) Mark(answer *exactjson.Value) {
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
		steps := exactjson.StepsOf(strings.TrimSuffix(path, "/*")) // where there can be a list, there can be a text
		if last := len(steps) - 1; last >= 0 && steps[last].Values == nil && steps[last].Name != "refusal" {
			steps.Each(answer, func(v *exactjson.Value) { v.ID = Said })
		}
	}
}

// A Joined is a value that is put together from the events of a stream.
type Joined struct {
	name string          // of a member, or what tells an element from the others
	v    exactjson.Value // what is there, but for what follows
	text []byte          // of a text that grows
	kids []*Joined       // of an object or a list that changes
}

// Take puts what an event tells where it stands in a whole answer.
func (j *Joined) Take(t *Transcript, event *exactjson.Value) {
	for _, p := range t.Pieces {
		exactjson.StepsOf(p.At).Each(event, func(v *exactjson.Value) {
			to, steps := j, exactjson.StepsOf(p.To)
			for i := range steps {
				to = to.step(steps[i:], event)
			}
			switch {
			case p.Grow != nil:
				to.add(v, p.Grow, p.Grow[0] == "*")
			case p.To != "":
				to.set(v)
			default: // a part of the answer: there is more beside it
				for i := range v.Elems {
					if m := &v.Elems[i]; m.Kind != exactjson.Array || len(m.Elems) > 0 {
						to.kid(exactjson.Object, m.Name).set(m)
					}
				}
			}
		})
	}
}

// step goes to a member, to the element that a value of the event names ("{index}"), or
// to a new one ("+"); a condition says of what type an object without one is.
func (j *Joined) step(steps exactjson.Steps, event *exactjson.Value) *Joined {
	s := steps[0]
	switch path, isKey := strings.CutPrefix(s.Name, "{"); {
	case isKey:
		key := "0"
		if len(steps) > 1 && steps[1].Values != nil {
			key = steps[1].Values[0] // some servers do not number what they send
		}
		exactjson.StepsOf(strings.ReplaceAll(strings.TrimSuffix(path, "}"), ".", "/")).Each(event, func(v *exactjson.Value) { key = v.Scalar() })
		return j.kid(exactjson.Array, key)
	case s.Name == "+":
		return j.kid(exactjson.Array, s.Name)
	case s.Values == nil:
		return j.kid(exactjson.Object, s.Name)
	}
	if k := j.kid(exactjson.Object, s.Name); k.v.Kind == exactjson.Null {
		k.v = exactjson.Value{Kind: exactjson.String, Text: s.Values[0]}
	}
	return j
}

// kid returns the member of an object, or the element of a list, of this name; "+" is new.
func (j *Joined) kid(kind exactjson.Kind, name string) *Joined {
	if j.v.Kind != kind {
		*j = Joined{name: j.name, v: exactjson.Value{Kind: kind}}
	}
	for i, e := range j.v.Elems {
		k := &Joined{name: e.Name, v: e}
		if kind == exactjson.Array {
			k.name = keyOf(&e, i, false)
		}
		j.kids = append(j.kids, k)
	}
	j.v.Elems = nil
	i := -1
	if name != "+" {
		i = slices.IndexFunc(j.kids, func(k *Joined) bool { return k.name == name })
	}
	if i < 0 {
		i = len(j.kids)
		j.kids = append(j.kids, &Joined{name: name})
	}
	return j.kids[i]
}

// keyOf returns what tells an element of a list apart: its index; without one its id, if the
// list grows, or that it is new, and else its place.
func keyOf(e *exactjson.Value, i int, grows bool) string {
	key, id := e.Member("index").Scalar(), e.Member("id").Scalar()
	switch {
	case key != "":
		return key
	case !grows:
		return strconv.Itoa(i)
	case id != "":
		return id
	}
	return "+"
}

// constant are the members of pieces that each piece repeats, or that stand in one only.
var constant = []string{"id", "type", "role", "object", "format"}

// add adds what an event tells: members to members, elements to those of the same index, and
// texts behind each other where they grow. Everything else takes the place of what was there.
func (j *Joined) add(v *exactjson.Value, grow []string, grows bool) {
	switch {
	case v.Kind == exactjson.Null, v.Kind == exactjson.Array && len(v.Elems) == 0 && len(j.kids) > 0:
	case v.Kind == exactjson.Object && (len(v.Elems) > 0 || j.v.Kind == exactjson.Object):
		for i := range v.Elems {
			m := &v.Elems[i]
			name := m.Name
			switch {
			case name == "delta":
				name = "message" // what a choice of a chat is whole
			case name == "message" && v.Member("delta") != nil:
				continue // all that was said so far, beside what is new
			}
			j.kid(exactjson.Object, name).add(m, grow, grows || slices.Contains(grow, m.Name))
		}
	case v.Kind == exactjson.Array && (grows || len(v.Elems) > 0 && v.Elems[0].Kind == exactjson.Object):
		for i := range v.Elems {
			j.kid(exactjson.Array, keyOf(&v.Elems[i], i, grows)).add(&v.Elems[i], grow, grows)
		}
	case grows && v.Kind == exactjson.String && j.v.Kind == exactjson.Array:
		j.kid(exactjson.Array, "+").set(v)
	case grows && v.Kind == exactjson.String && j.v.Kind == exactjson.String:
		if slices.Contains(constant, j.name) || j.name == "name" && j.v.Text == v.Text {
			return
		}
		j.text = append(append(j.text, j.v.Text...), v.Text...)
		j.v.Text = ""
	default:
		j.set(v)
	}
}

// set takes the place of what was there.
func (j *Joined) set(v *exactjson.Value) { *j = Joined{name: j.name, v: *v} }

// Value returns what was put together.
func (j *Joined) Value() exactjson.Value {
	v := j.v
	v.Name, v.Text = j.name, v.Text+string(j.text)
	v.Elems = append(v.Elems, group.Each(j.kids, (*Joined).Value)...)
	return v
}
