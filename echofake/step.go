package echofake

// A Step is a part of a script: a [Turn], or what [When] returns.
type Step interface{ turns() []Turn }

// When lets each of the steps answer only requests for which cond holds. A
// request takes the first unused turn whose conditions it meets, so a script
// can serve several agents at once:
//
//	echofake.New(t,
//		echofake.When(echofake.System("planner"), echofake.Text("..."), echofake.Text("...")),
//		echofake.When(echofake.Offers("search"), echofake.ToolCall("search", nil)),
//	)
func When(cond Condition, steps ...Step) Step {
	var all turnList
	for _, s := range steps {
		for _, t := range s.turns() {
			all = append(all, t.When(cond))
		}
	}
	return all
}

// A turnList is a step of several turns.
type turnList []Turn

func (l turnList) turns() []Turn { return l }
