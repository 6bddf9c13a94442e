package conversation

import (
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// concurrent sets the numbers of the overlapping exchanges in each exchange.
func concurrent(list []*Exchange, its []*interaction.Interaction) {
	calls := make([]sequence.Call, len(its))
	for i, it := range its {
		calls[i] = sequence.Call{Moments: it.Concurrent, IsNested: it.Request.Within != ""}
	}
	recorded := sequence.New(calls)
	for i, e := range list {
		for _, other := range recorded.Overlapping(i) {
			e.Concurrent = append(e.Concurrent, other+1)
		}
	}
}
