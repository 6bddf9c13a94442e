package tape

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/ids"
	"github.com/promptecho/promptecho/internal/interaction"
)

// issuedIDsIn returns those of the issued IDs that are in a request, as traits.
func issuedIDsIn(req *interaction.Request, issued map[uint64]bool) []canon.Trait {
	if len(issued) == 0 {
		return nil
	}
	var traits []canon.Trait
	for id := range idsOf(req) {
		if issued[id] {
			traits = append(traits, canon.IssuedID(id))
		}
	}
	return traits
}

// issuedIDsOf returns the IDs of a cassette that first appeared in a recorded
// response. An ID that appeared in a request first was drawn or counted by the
// client, and says nothing about the conversation.
//
// It only looks for IDs that can select a recording. These are few: the IDs in
// which recordings with one match key differ. ambiguous has the recordings of
// each match key under which different requests are recorded; recs are all
// recordings of the cassette, in order. It reads the cassette once.
func issuedIDsOf(ambiguous [][]*Recording, recs []*Recording) map[uint64]bool {
	differing := differingIDs(ambiguous)
	issued := map[uint64]bool{}
	for _, rec := range recs {
		if len(differing) == 0 {
			break // it is known where each of them first appeared
		}
		rec.viewContent(func(req *interaction.Request, resp *interaction.Response) {
			ids.InRequest(req, func(id uint64) { delete(differing, id) })
			ids.InResponse(resp, func(id uint64) {
				if differing[id] {
					issued[id] = true
					delete(differing, id)
				}
			})
		})
	}
	return issued
}

// differingIDs returns the IDs that some, but not all, requests with one match
// key have. ambiguous has the recordings of each match key.
func differingIDs(ambiguous [][]*Recording) map[uint64]bool {
	differing := map[uint64]bool{}
	for _, alike := range ambiguous {
		count := map[uint64]int{}
		for _, rec := range alike {
			rec.viewContent(func(req *interaction.Request, _ *interaction.Response) {
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
	return differing
}

// idsOf returns every text in a request that may be an ID.
func idsOf(req *interaction.Request) map[uint64]bool {
	all := map[uint64]bool{}
	ids.InRequest(req, func(id uint64) { all[id] = true })
	return all
}
