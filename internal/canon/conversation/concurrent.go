package conversation

import (
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/sequence"
)

// concurrent says of each exchange which ones were under way at the same time.
func concurrent(list []*Exchange, its []*interaction.Interaction) {
	o := sequence.New(len(its), func(i int) *interaction.Moments { return its[i].Concurrent }, func(i int) bool { return its[i].Request.Within != "" }, nil)
	for i, e := range list {
		for _, other := range o.Company(i, false) {
			e.Concurrent = append(e.Concurrent, other+1)
		}
	}
}
