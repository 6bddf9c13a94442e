package tape

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A shelf holds the recordings that are played, in queues by the keys of their forms.
//
// The form of a recording with unknown headers is that of its request with the headers
// that it lists and no others. So a request is looked for by several forms: by its own,
// and then by those that it has with only the headers that such recordings list. Recordings
// of other tools list few, mostly the same.
type shelf struct {
	queues map[uint64]*queue
	listed [][]string // by recordings with unknown headers: each set of names once, larger ones first
}

// add puts a recording behind the others of its form.
func (s *shelf) add(rec *Recording) {
	q := s.queues[rec.key]
	if q == nil {
		q = &queue{exact: true}
		s.queues[rec.key] = q
	}
	q.add(rec)
	if !rec.unknown {
		return
	}
	names := rec.Request().Headers.Names()
	if !slices.ContainsFunc(s.listed, func(l []string) bool { return slices.Equal(l, names) }) {
		s.listed = append(s.listed, names)
		slices.SortStableFunc(s.listed, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	}
}

// choices returns the recordings of each queue that has more than one request.
func (s *shelf) choices() (all [][]*Recording) {
	for _, q := range s.queues {
		if !q.exact && len(q.recordings) > 1 {
			all = append(all, q.recordings)
		}
	}
	return all
}

// again returns the numbers of failures, and of polls, that were asked again after something else had
// happened, and of the recordings of that. Their clients waited meanwhile, which a replay does not,
// so that they would be ahead of others.
func (s *shelf) again() map[int]int {
	all := map[int]int{}
	for _, q := range s.queues {
		for i := 1; i < len(q.recordings); i++ {
			before, next := q.recordings[i-1], q.recordings[i].number
			if before.number >= next-1 && before.of.stored.Outline(before.number).Moments == nil {
				continue
			}
			before.look(func(req *interaction.Request, resp *interaction.Response) {
				if resp.Passing() || req.Method == http.MethodGet {
					all[before.number] = next
				}
			})
		}
	}
	return all
}

// A found is a queue whose recordings can answer a request, and the form by which they do.
type found struct {
	*queue
	form *canon.Form
}

// find returns the queues whose recordings can answer a request, the better ones first;
// form is that of the request.
func (s *shelf) find(form *canon.Form, req *interaction.Request, options *canon.Options) (all []found) {
	add := func(form *canon.Form) {
		q := s.queues[keyOf(form)]
		if q != nil && !slices.ContainsFunc(all, func(f found) bool { return f.queue == q }) {
			all = append(all, found{q, form})
		}
	}
	add(form)
	for _, names := range s.listed {
		known := *req
		known.UnknownHeaders, known.Headers = true, req.Headers.Only(names)
		add(options.Form(&known))
	}
	return all
}
