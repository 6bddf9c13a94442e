package tape

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// An index finds the candidates for a request by its match key.
//
// A recording imported from another tool may not list all headers of its
// request. Its match key is that of the request with the listed headers only.
// So a request has several match keys: its own, and one for each set of headers
// that such a recording lists. There are few sets: a tool mostly lists the same
// headers.
type index struct {
	byKey map[uint64]*candidates

	// The sets of headers that recordings with unknown headers list, each once,
	// larger ones first.
	headerSets [][]string
}

// newIndex returns an empty index.
func newIndex() index { return index{byKey: map[uint64]*candidates{}} }

// add adds a recording behind the others with this match key.
func (x *index) add(rec *Recording, key uint64) {
	c := x.byKey[key]
	if c == nil {
		c = &candidates{allEqual: true}
		x.byKey[key] = c
	}
	c.add(rec)

	if rec.unknownHeaders {
		x.addHeaderSet(rec.Request().Headers.Names())
	}
}

// addHeaderSet adds the headers that a recording with unknown headers lists.
func (x *index) addHeaderSet(names []string) {
	isKnown := slices.ContainsFunc(x.headerSets, func(set []string) bool {
		return slices.Equal(set, names)
	})
	if isKnown {
		return
	}
	x.headerSets = append(x.headerSets, names)
	group.Sort(x.headerSets, func(a, b []string) int {
		return cmp.Compare(len(b), len(a))
	})
}

// A formCandidates is the candidates for a request, and the form of the request
// that has their match key.
type formCandidates struct {
	*candidates
	form *canon.Form
}

// lookup returns the candidates for a request with this form: those with its
// own match key first, then those that list more of its headers before those
// that list fewer.
func (x *index) lookup(
	form *canon.Form, req *interaction.Request, options *canon.Options,
) []formCandidates {
	forms := []*canon.Form{form}
	for _, names := range x.headerSets {
		listed := *req
		listed.UnknownHeaders = true
		listed.Headers = req.Headers.Only(names)
		forms = append(forms, options.Form(&listed))
	}

	var all []formCandidates
	for _, form := range forms {
		c := x.byKey[keyOf(form)]
		isFound := slices.ContainsFunc(all, func(f formCandidates) bool {
			return f.candidates == c
		})
		if c != nil && !isFound {
			all = append(all, formCandidates{c, form})
		}
	}
	return all
}

// ambiguous returns the recordings of each match key under which different
// requests are recorded.
func (x *index) ambiguous() [][]*Recording {
	var all [][]*Recording
	for _, c := range x.byKey {
		if !c.allEqual && len(c.answered.recordings) > 1 {
			all = append(all, c.answered.recordings)
		}
	}
	return all
}

// askedAgain maps the number of each failure, and of each poll, to the number
// of the recording of the same request that follows it, if other recordings
// stand between them. Their clients waited meanwhile. A replay does not wait,
// so without this they would be ahead of other requests.
func (x *index) askedAgain() map[int]int {
	all := map[int]int{}
	for _, c := range x.byKey {
		recordings := c.answered.recordings
		for i := 1; i < len(recordings); i++ {
			rec := recordings[i-1]
			next := recordings[i].number
			wasConcurrent := rec.of.stored.Outline(rec.number).Moments != nil
			if rec.number >= next-1 && !wasConcurrent {
				continue
			}
			rec.viewContent(func(req *interaction.Request, resp *interaction.Response) {
				if resp.IsTransientFailure() || req.Method == http.MethodGet {
					all[rec.number] = next
				}
			})
		}
	}
	return all
}
