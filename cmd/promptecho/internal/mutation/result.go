package mutation

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A place returns a value in the JSON of a response. It returns nil if there is none.
type place func(d *document) *exactjson.Value

// member returns the place of a member of an object.
func (at place) member(name string) place {
	return func(d *document) *exactjson.Value { return at(d).Member(name) }
}

// addResult adds another value in the place of the result of a tool: of an object each field is
// changed, of a list of objects each field of the first one. label says whose result it is.
func (s *subject) addResult(label string, at place) {
	result := at(s.document())
	if result == nil {
		return
	}
	switch result.Kind {
	case exactjson.Object:
		s.addMembers(label, "", result, at)
		return
	case exactjson.String:
		s.addOther(OtherText, label, "the text", result, at)
		return
	}
	s.addOther(FieldValue, label, "the value", result, at)
	if result.Kind == exactjson.Array && len(result.Elems) > 0 {
		first := func(d *document) *exactjson.Value { return &at(d).Elems[0] }
		s.addMembers(label, "0/", &result.Elems[0], first)
	}
}

// addMembers changes each field of an object.
func (s *subject) addMembers(label, path string, object *exactjson.Value, at place) {
	if object.Kind != exactjson.Object {
		return
	}
	for i := range object.Elems {
		field := &object.Elems[i]
		s.addOther(FieldValue, label, "field "+path+field.Name, field, at.member(field.Name))
	}
}

// addOther puts another value in the place of one, which name says.
func (s *subject) addOther(kind Kind, label, name string, v *exactjson.Value, at place) {
	other, ok := otherOf(v, another)
	if !ok {
		return
	}
	what := fmt.Sprintf("%s -> %s", short(v), short(&other))
	if field, ok := strings.CutPrefix(name, "field "); ok {
		what = field + ": " + what
	}
	notice := fmt.Sprintf("assert on %s of %s", name, label)
	s.edit(kind, label+": "+what, notice, func(d *document) bool {
		set(at(d), other)
		return true
	})
}
