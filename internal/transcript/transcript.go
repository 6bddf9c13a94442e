// Package transcript tells where the answers of models have what they say, and puts streams
// together: what their events tell becomes the answer that it would be in one piece, as the
// SDKs do it. Where that is for each API is data of package canon.
package transcript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
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

// Says returns the paths at which whole answers have their texts, their calls of tools and
// results, which come and go from answer to answer. "*" stands for every element of a list,
// and "type=x" for an object of that type; a path stands for all below it.
func (t *Transcript) Says() (paths []string) {
	for _, path := range slices.Concat(t.Text, t.Reasoning) {
		if !strings.HasSuffix(path, "/refusal") { // whoever reads a text finds none
			paths = appendPlaces(paths, path)
		}
	}
	for _, c := range t.Calls {
		paths = appendPlaces(paths, c.At())
	}
	for _, c := range t.Results {
		for name := range strings.FieldsSeq(cmp.Or(c.Args(), "/")) {
			paths = appendPlaces(paths, c.At()+"/"+name)
		}
	}
	return paths
}

// appendPlaces appends the places that a path leads to, one for each type that it allows;
// what leads to unknown types has no place. Its other conditions select among values of one
// place.
func appendPlaces(dst []string, path string) []string {
	places := []string{""}
	for _, s := range exactjson.StepsOf(path) {
		switch {
		case s.Not && (s.Name == "type" || s.Values[0] == "*"):
			return dst
		case s.Values == nil:
			for i := range places {
				places[i] += "/" + s.Name
			}
		case s.Name == "type" && !s.Not:
			var typed []string
			for _, place := range places {
				for _, value := range s.Values {
					typed = append(typed, place+"/type="+value)
				}
			}
			places = typed
		}
	}
	for _, place := range places {
		if place = strings.TrimPrefix(strings.TrimSuffix(place, "/*"), "/"); place != "" {
			dst = append(dst, place)
		}
	}
	return dst
}
