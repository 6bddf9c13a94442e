package route

import "strings"

// A Route is the list of an agent's steps, in an order that is the same in every run.
type Route struct{ steps []*step }

// Len returns the number of steps.
func (r *Route) Len() int { return len(r.steps) }

// text returns the lines of a step in a route: the action, and a line for each tool that its
// answer calls.
//
//	ask gpt-5: tool calls
//	  get_weather {"city":"Paris"}, ran
func (s *step) text() string {
	var b strings.Builder
	b.WriteString(s.action)
	if s.args != "" {
		b.WriteString(" " + s.args)
	}
	if s.ending != "" {
		b.WriteString(": " + s.ending)
	}
	for _, c := range s.toolCalls {
		b.WriteString("\n  " + c.tool + " " + c.args)
		if c.execution != "" {
			b.WriteString(", " + c.execution)
		}
	}
	return b.String()
}

// String returns the texts of the steps. Concurrent steps are indented below a line "at once:".
func (r *Route) String() string {
	hasLevel := func(i, level int) bool {
		return 0 <= i && i < len(r.steps) && r.steps[i].level == level
	}
	var lines []string
	for i, s := range r.steps {
		text := s.text()
		followsConcurrent := hasLevel(i-1, s.level)
		precedesConcurrent := hasLevel(i+1, s.level)
		if precedesConcurrent && !followsConcurrent {
			lines = append(lines, "at once:")
		}
		if precedesConcurrent || followsConcurrent {
			text = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// A toolUse is a call of a tool in a route: a model requested it, or the program made it.
type toolUse struct {
	tool  string
	index int // in the list of all uses
	step  int // the index of its step
	level int // of its step
}

// toolUses returns the calls of tools in order.
func (r *Route) toolUses() []toolUse {
	var uses []toolUse
	add := func(tool string, step int) {
		uses = append(uses, toolUse{tool, len(uses), step, r.steps[step].level})
	}
	for i, s := range r.steps {
		if s.tool != "" {
			add(s.tool, i)
		}
		for _, c := range s.toolCalls {
			add(c.tool, i)
		}
	}
	return uses
}
