package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Transcript tells where an answer has what it says, by paths of [exactjson.Steps]. Of
// those that stand together, each is read.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []CallPaths
	Finish    []string
}

// CallPaths tell where an answer has the calls of tools.
type CallPaths struct {
	At   string // of the objects that each hold a piece of a call, "" for the event itself
	ID   string // below them: what tells calls apart; without it each object is a whole call
	Name string
	Args string
}

// Transcript returns where a response to the form's request has what it says, or nil if
// nobody knows.
func (f *Form) Transcript(resp *interaction.Response) *Transcript {
	switch {
	case f.of == nil:
		return nil
	case resp.Stream == "" && f.of.Whole.Text != nil:
		return &f.of.Whole
	}
	return &f.of.Transcript
}

// Says returns the paths at which a response has its texts and its calls of tools, which
// come and go from answer to answer. "*" stands for every element of a list, and "type=x"
// for an object of that type; a path stands for all below it.
func (f *Form) Says(resp *interaction.Response) (paths []string) {
	t := f.Transcript(resp)
	if t == nil {
		return nil
	}
	for _, path := range slices.Concat(t.Text, t.Reasoning) {
		paths = appendPlaces(paths, path)
	}
	for _, c := range t.Calls {
		if c.At != "" {
			paths = appendPlaces(paths, c.At)
			continue
		}
		paths = appendPlaces(appendPlaces(paths, c.Name), c.Args)
	}
	return paths
}

// appendPlaces appends the places that a path leads to, one for each type that it allows.
// Its other conditions select among values of one place.
func appendPlaces(dst []string, path string) []string {
	places := []string{""}
	for _, s := range exactjson.StepsOf(path) {
		switch {
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
