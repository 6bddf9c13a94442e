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
//
// The steps of a session with a process stand where the session was opened, unless they execute a
// tool that an answer calls. One comes after another if it was sent after the answer to the other.
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
	exchanges := conversation.Read(interactions)
	levels := levelsOf(calls, exchanges)
	for i, it := range interactions {
		steps := read(it, posted)
		if it.Request.IsForProcess() {
			steps = readProcess(it, exchanges[i])
		}
		for n, s := range steps {
			s.call = i
			s.level = levels[i]
			s.place = n
			r.steps = append(r.steps, s)
		}
	}
	r.mergeExecutions()
	slices.SortStableFunc(r.steps, compareSteps)
	r.renumberLevels()
	return r
}

// compareSteps compares steps by their place in a route: by their level, then by their round, and
// concurrent ones by their text. The steps of a batch stay in its order.
func compareSteps(a, b *step) int {
	order := cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.round, b.round))
	isOfBatch := a.call == b.call && !a.isOfSession
	switch {
	case order != 0:
		return order
	case isOfBatch:
		return cmp.Compare(a.place, b.place)
	}
	return strings.Compare(a.text(), b.text())
}

// renumberLevels numbers the levels from 0, without gaps where a level has no step. Each round of
// a session is a level of its own. The steps are sorted by level and round.
func (r *Route) renumberLevels() {
	type place struct{ level, round int }
	level := 0
	var previous place // of the step before
	for i, s := range r.steps {
		current := place{s.level, s.round}
		if i > 0 && current != previous {
			level++
		}
		previous = current
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

		isConcurrent := c.Interaction.Concurrent != nil && !overlapsOnlyProcesses(calls, exchanges[i])
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

// overlapsOnlyProcesses reports whether the calls that a call overlapped are all sessions with
// processes. Such a session is open for as long as its process runs, so overlapping it says nothing
// about the order of two calls.
func overlapsOnlyProcesses(calls []Call, e *conversation.Exchange) bool {
	for _, number := range e.Concurrent { // exchanges are numbered from 1
		if !calls[number-1].Interaction.Request.IsForProcess() {
			return false
		}
	}
	return len(e.Concurrent) > 0
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
// called, and notes its outcome at that call. So a tool is in the route once. A session with a
// process is open during many calls, so its steps may execute tools that later answers call.
func (r *Route) mergeExecutions() {
	var requested []*toolCall
	r.steps = slices.DeleteFunc(r.steps, func(s *step) bool {
		for i := range s.toolCalls {
			requested = append(requested, &s.toolCalls[i])
		}
		return !s.isOfSession && s.mergeInto(requested)
	})
	r.steps = slices.DeleteFunc(r.steps, func(s *step) bool {
		return s.isOfSession && s.mergeInto(requested)
	})
}

// mergeInto notes the outcome of a step at the first of these calls that it executes, and reports
// whether there is one.
func (s *step) mergeInto(requested []*toolCall) bool {
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
}
