package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Transcript tells where a whole answer has what it says, by paths of [exactjson.Steps],
// and how the events of a stream make such an answer. Of paths that stand together, each is
// read. What Calls and Results say must be all of the blocks that are no text: one of an
// unknown type is a call, since nobody knows that it is not.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []CallPaths // what the model wants done
	Results   []CallPaths // what it was given by tools of the provider, and made beside texts
	Finish    []string
	Pieces    []Piece // of a stream; without them each event is read as an answer
}

// CallPaths tell where an answer has calls of tools, or results. Name and Args have paths
// with a space between them: names are joined with a dot, and "=name" is one; several
// arguments are an object.
type CallPaths struct {
	At   string // of the blocks
	Name string // below them
	Args string // what is wanted; "" is all of the block
}

// A Piece says what events tell of an answer, and where that stands in a whole one.
type Piece struct {
	In   string   // where an event has the rest, "" for the event itself
	At   string   // below that: what is told
	To   string   // where it goes: "{index}" is the element that the event names so, "+" a new one, "type=x" its type
	Grow []string // below At: where texts and lists go on, and do not take the place of what was told before
}

// Transcript returns how an answer to the form's request is read, or nil if nobody knows.
func (f *Form) Transcript() *Transcript {
	if f.of == nil {
		return nil
	}
	return &f.of.Transcript
}

// Says returns the paths at which a response has its texts, its calls of tools and their
// results, which come and go from answer to answer. "*" stands for every element of a list,
// and "type=x" for an object of that type; a path stands for all below it.
func (f *Form) Says(resp *interaction.Response) (paths []string) {
	t := f.Transcript()
	if t == nil {
		return nil
	}
	for _, path := range slices.Concat(t.Text, t.Reasoning) {
		if !strings.HasSuffix(path, "/refusal") { // whoever reads a text finds none
			paths = appendPlaces(paths, path)
		}
	}
	for _, c := range t.Calls {
		paths = appendPlaces(paths, c.At)
	}
	for _, c := range t.Results {
		for name := range strings.FieldsSeq(cmp.Or(c.Args, ".")) {
			paths = appendPlaces(paths, strings.TrimSuffix(c.At+"/"+name, "/."))
		}
	}
	if resp.Stream == "" || t.Pieces == nil {
		return paths
	}
	whole := paths
	paths = nil
	for _, p := range t.Pieces {
		told := strings.Trim(p.In+"/"+p.At, "/")
		for _, grown := range p.Grow {
			paths = appendPlaces(paths, told+"/"+grown)
		}
		switch {
		case p.Grow != nil:
		case strings.Contains(p.To, "{"):
			paths = appendPlaces(paths, told)
		case p.To == "" && told != "":
			for _, path := range whole {
				for _, place := range appendPlaces(nil, told) {
					paths = append(paths, place+"/"+path)
				}
			}
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
