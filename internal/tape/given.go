package tape

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/ids"
	"github.com/promptecho/promptecho/internal/interaction"
)

// givenIn returns the ids in a request that answers gave out, which givenOut has found.
func givenIn(req *interaction.Request, out map[uint64]bool) (traits []canon.Trait) {
	if len(out) == 0 {
		return nil
	}
	for id := range idsOf(req) {
		if out[id] {
			traits = append(traits, canon.GivenOut(id))
		}
	}
	return traits
}

// givenOut returns the ids that the answers of a cassette gave out: those that stood in an answer
// before they stood in a request. What a client drew or counted stood in a request first.
//
// It looks for ids that can choose, and those are few: the ids in which recordings of one form
// differ. choices are those of one form, where these are not all one request; recs are all of the
// cassette, in order. It reads the cassette once.
func givenOut(choices [][]*Recording, recs []*Recording) map[uint64]bool {
	differing := map[uint64]bool{} // the ids that some requests of a form have and others have not
	for _, alike := range choices {
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
	out := map[uint64]bool{}
	for _, rec := range recs {
		if rec.fresh || len(differing) == 0 {
			continue
		}
		rec.look(func(req *interaction.Request, resp *interaction.Response) {
			ids.InRequest(req, func(id uint64) { delete(differing, id) })
			ids.InResponse(resp, func(id uint64) {
				if differing[id] {
					out[id] = true
					delete(differing, id)
				}
			})
		})
	}
	return out
}

// idsOf returns all that may be ids in a request.
func idsOf(req *interaction.Request) map[uint64]bool {
	all := map[uint64]bool{}
	ids.InRequest(req, func(id uint64) { all[id] = true })
	return all
}
