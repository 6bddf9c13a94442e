package route

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Of returns the route of the calls of a run, given in the order asked.
//
// Which of two calls that are made at once is asked first is chance, so nothing of that order
// may be in a route. A call comes after another one if the same goroutine made both, if it
// goes on with the conversation that the other one answered, or if the goroutine of the test
// made one of them: it waits for what it has started. Calls of which nothing says that one
// comes after the other are sorted by what they are.
func Of(asked []Asked) *Route {
	r := &Route{}
	its := make([]*interaction.Interaction, len(asked))
	servers := map[string]bool{}
	for i, a := range asked {
		its[i] = a.Interaction
		if a.Interaction.Request.Method == "POST" {
			servers[a.Interaction.Request.URL] = true
		}
	}
	levels := levelsOf(asked, conversation.Read(its))
	for i, it := range its {
		for n, s := range read(it, servers) {
			s.number, s.level, s.group = i, levels[i], n
			r.steps = append(r.steps, s)
		}
	}
	r.link()
	slices.SortStableFunc(r.steps, func(a, b *step) int {
		if a.number == b.number {
			return cmp.Compare(a.group, b.group)
		}
		return cmp.Or(cmp.Compare(a.level, b.level), strings.Compare(a.text(), b.text()))
	})
	r.closeGaps()
	return r
}

// closeGaps numbers the levels from 0, without those that have no step.
func (r *Route) closeGaps() {
	was, level := 0, -1
	for _, s := range r.steps {
		if s.level != was || level < 0 {
			was, level = s.level, level+1
		}
		s.level = level
	}
}

// levelsOf returns for each call how many calls come before it, one after the other.
func levelsOf(asked []Asked, talks []*conversation.Exchange) []int {
	levels := make([]int, len(asked))
	last := map[uint64]int{} // the level of the last call of a goroutine
	var all, alone bound     // of all calls so far, and of those that ran alone
	for i, a := range asked {
		level, company := 0, a.Interaction.Concurrent != nil
		if l, ok := last[a.Asker]; ok && a.Asker != 0 {
			level = l + 1
		}
		if rep := talks[i].Repeats; rep != nil && rep.Of <= i && rep.Messages > len(talks[rep.Of-1].Messages) {
			level = max(level, levels[rep.Of-1]+1)
		}
		switch {
		case a.Main && !company:
			level = max(level, all.any)
		case a.Main:
			level = max(level, alone.any)
		case company:
			level = max(level, alone.main)
		default:
			level = max(level, all.main)
		}
		levels[i], last[a.Asker] = level, level
		all.add(level, a.Main)
		if !company {
			alone.add(level, a.Main)
		}
	}
	return levels
}

// A bound is the highest level of some calls, plus one: 0 if there are none.
type bound struct{ any, main int }

func (b *bound) add(level int, main bool) {
	b.any = max(b.any, level+1)
	if main {
		b.main = max(b.main, level+1)
	}
}

// link joins each call of a tool that was made with the one that a model asked for, so that
// it is in the route once.
func (r *Route) link() {
	var asked []*call
	r.steps = slices.DeleteFunc(r.steps, func(s *step) bool {
		for i := range s.calls {
			asked = append(asked, &s.calls[i])
		}
		i := slices.IndexFunc(asked, func(c *call) bool { return c.ran == "" && s.name != "" && c.name == s.name && c.args == s.args })
		if i < 0 {
			return false
		}
		asked[i].ran = "ran"
		if s.end != "" {
			asked[i].ran = "ran: " + s.end
		}
		return true
	})
}
