package route

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Of returns the route of the calls of a run, which are in the order in which they were sent.
//
// Which of two concurrent calls is sent first depends on scheduling, so a route does not show
// that order. One call comes after another in each of these cases:
//   - The same goroutine made both.
//   - It continues the conversation that the other one answered.
//   - The goroutine of the test made one of them. That goroutine waits for what it starts.
//
// Other calls are concurrent, and are sorted by their text.
func Of(calls []Call) *Route {
	interactions := make([]*interaction.Interaction, len(calls))
	posted := map[string]bool{}
	for i, c := range calls {
		interactions[i] = c.Interaction
		if c.Interaction.Request.Method == "POST" {
			posted[c.Interaction.Request.URL] = true
		}
	}

	r := &Route{}
	levels := levelsOf(calls, conversation.Read(interactions))
	for i, it := range interactions {
		for n, s := range read(it, posted) {
			s.call = i
			s.level = levels[i]
			s.place = n
			r.steps = append(r.steps, s)
		}
	}
	r.mergeExecutions()
	slices.SortStableFunc(r.steps, func(a, b *step) int {
		if a.call == b.call {
			return cmp.Compare(a.place, b.place)
		}
		return cmp.Or(cmp.Compare(a.level, b.level), strings.Compare(a.text(), b.text()))
	})
	r.renumberLevels()
	return r
}

// renumberLevels numbers the levels from 0, without gaps where a level has no step. The
// steps are sorted by level.
func (r *Route) renumberLevels() {
	level := 0
	previous := 0 // the old level of the step before
	for i, s := range r.steps {
		if i > 0 && s.level != previous {
			level++
		}
		previous = s.level
		s.level = level
	}
}

// levelsOf returns the level of each call: one more than the highest level of the calls that
// come before it.
func levelsOf(calls []Call, exchanges []*conversation.Exchange) []int {
	levels := make([]int, len(calls))
	lastOf := map[uint64]int{} // the level of the last call of each goroutine
	var all bounds             // of the calls so far
	var sequential bounds      // of those that overlapped no other call
	for i, c := range calls {
		level := 0
		if last, ok := lastOf[c.Goroutine]; ok && c.Goroutine != 0 {
			level = last + 1
		}
		if earlier := continuedCall(exchanges, i); earlier >= 0 {
			level = max(level, levels[earlier]+1)
		}

		isConcurrent := c.Interaction.Concurrent != nil
		switch {
		case c.FromTest && !isConcurrent:
			level = max(level, all.afterAny)
		case c.FromTest && isConcurrent:
			level = max(level, sequential.afterAny)
		case isConcurrent:
			level = max(level, sequential.afterTest)
		default:
			level = max(level, all.afterTest)
		}

		levels[i] = level
		lastOf[c.Goroutine] = level
		all.add(level, c.FromTest)
		if !isConcurrent {
			sequential.add(level, c.FromTest)
		}
	}
	return levels
}

// continuedCall returns the index of the earlier call whose conversation call i continues with
// the answer to it, or -1 if there is none.
func continuedCall(exchanges []*conversation.Exchange, i int) int {
	repeat := exchanges[i].Repeats
	if repeat == nil || repeat.Of > i {
		return -1
	}
	earlier := repeat.Of - 1 // exchanges are numbered from 1
	messagesSent := len(exchanges[earlier].Messages)
	repeatsAnswer := repeat.Messages > messagesSent
	if !repeatsAnswer {
		return -1
	}
	return earlier
}

// bounds are the lowest levels after a set of calls; 0 if there are none.
type bounds struct {
	afterAny  int // after all calls
	afterTest int // after those that the goroutine of the test made
}

// add adds a call at a level to the set.
func (b *bounds) add(level int, fromTest bool) {
	b.afterAny = max(b.afterAny, level+1)
	if fromTest {
		b.afterTest = max(b.afterTest, level+1)
	}
}

// mergeExecutions removes each step in which the program executed a tool that an earlier answer
// called, and notes its outcome at that call. So a tool is in the route once.
func (r *Route) mergeExecutions() {
	var requested []*toolCall
	r.steps = slices.DeleteFunc(r.steps, func(s *step) bool {
		for i := range s.toolCalls {
			requested = append(requested, &s.toolCalls[i])
		}
		i := slices.IndexFunc(requested, func(c *toolCall) bool {
			isExecuted := c.execution != ""
			return !isExecuted && s.tool != "" && c.tool == s.tool && c.args == s.args
		})
		if i < 0 {
			return false
		}
		requested[i].execution = "ran"
		if s.ending != "" {
			requested[i].execution = "ran: " + s.ending
		}
		return true
	})
}
