package route

import "strings"

// A Route is what an agent did, in an order that does not depend on the run.
type Route struct{ steps []*step }

// Len returns how many steps there are.
func (r *Route) Len() int { return len(r.steps) }

// text returns a step as lines.
func (s *step) text() string {
	var b strings.Builder
	b.WriteString(s.what)
	if s.args != "" {
		b.WriteString(" " + s.args)
	}
	if s.end != "" {
		b.WriteString(": " + s.end)
	}
	for _, c := range s.calls {
		b.WriteString("\n  " + c.name + " " + c.args)
		if c.ran != "" {
			b.WriteString(", " + c.ran)
		}
	}
	return b.String()
}

// String returns the route as text: a line for each step, below it the tools that its answer
// calls, and above steps that were made at once a line that says so.
func (r *Route) String() string {
	var lines []string
	for i, s := range r.steps {
		text, alone := s.text(), true
		if i > 0 && r.steps[i-1].level == s.level {
			alone = false
		} else if i+1 < len(r.steps) && r.steps[i+1].level == s.level {
			alone = false
			lines = append(lines, "at once:")
		}
		if !alone {
			text = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// A use is a call of a tool, asked for by a model or made by the program.
type use struct {
	name               string
	index, step, level int
}

// uses returns the calls of tools in order.
func (r *Route) uses() (list []use) {
	for i, s := range r.steps {
		if s.name != "" {
			list = append(list, use{s.name, len(list), i, s.level})
		}
		for _, c := range s.calls {
			list = append(list, use{c.name, len(list), i, s.level})
		}
	}
	return list
}
