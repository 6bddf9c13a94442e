package tape

import (
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/ids"
	"github.com/promptecho/promptecho/internal/interaction"
)

// givenIDs knows which ids the answers of a cassette gave out: those that stood in an answer
// before they stood in a request. What a client drew or counted stood in a request first.
//
// It looks for ids that can choose, and those are few: the ids in which recordings of one
// form differ. They are found by the first request for which there is a choice, by reading
// the cassette once.
type givenIDs struct {
	tape *Tape
	once sync.Once
	out  map[uint64]bool
}

// in returns the ids in a request that answers gave out. No lock is held: what is read does
// not change once requests come, or is read atomically.
func (g *givenIDs) in(req *interaction.Request) (traits []canon.Trait) {
	g.once.Do(g.find)
	if len(g.out) == 0 {
		return nil
	}
	for id := range idsOf(req) {
		if g.out[id] {
			traits = append(traits, canon.GivenOut(id))
		}
	}
	return traits
}

// find finds the ids that can choose and that answers gave out.
func (g *givenIDs) find() {
	differing := map[uint64]bool{} // the ids that some requests of a form have and others have not
	for _, alike := range g.tape.shelf.choices() {
		count := map[uint64]int{}
		for _, rec := range alike {
			rec.look(func(req *interaction.Request, _ *interaction.Response) {
				for id := range idsOf(req) {
					count[id]++
				}
			})
		}
		for id, n := range count {
			if n < len(alike) {
				differing[id] = true
			}
		}
	}
	g.out = map[uint64]bool{}
	for _, rec := range g.tape.Recordings() {
		if rec.fresh || len(differing) == 0 {
			continue
		}
		rec.look(func(req *interaction.Request, resp *interaction.Response) {
			ids.InRequest(req, func(id uint64) { delete(differing, id) })
			ids.InResponse(resp, func(id uint64) {
				if differing[id] {
					g.out[id] = true
					delete(differing, id)
				}
			})
		})
	}
}

// idsOf returns all that may be ids in a request.
func idsOf(req *interaction.Request) map[uint64]bool {
	all := map[uint64]bool{}
	ids.InRequest(req, func(id uint64) { all[id] = true })
	return all
}
