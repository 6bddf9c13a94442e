package fakeprovider

import (
	"sort"
	"strings"
	"unicode"
)

// step is one tool call that the user's text asks for.
type step struct {
	tool  tool
	args  string // written after the name; "" if there are none
	near  string // the text between this name and the next
	joint bool   // in one turn with the step before
}

// nextCalls is the tool calls of the next turn, none if it is time to answer.
func (p prompt) nextCalls() []Call {
	if len(p.tools) == 0 || p.choice.mode == "none" {
		return nil
	}
	text := p.lastUser()
	if p.choice.mode == "named" {
		for _, t := range p.tools {
			if t.name == p.choice.name {
				return []Call{step{tool: t}.call(text)}
			}
		}
		return nil
	}
	past := p.callsSince(p.lastUserAt())
	if steps := p.steps(text); len(past) < len(steps) {
		return p.turnOf(steps[len(past):], text)
	}
	if p.choice.mode == "required" {
		return []Call{step{tool: p.uncalled(past)}.call(text)}
	}
	return nil
}

// turnOf is the calls of the first step and those joint with it.
func (p prompt) turnOf(steps []step, text string) []Call {
	calls := []Call{steps[0].call(text)}
	for _, s := range steps[1:] {
		if p.serial || !s.joint {
			break
		}
		calls = append(calls, s.call(text))
	}
	return calls
}

// callsSince is the names of the tools called after turn i.
func (p prompt) callsSince(i int) []string {
	var names []string
	for _, t := range p.turns[i+1:] {
		for _, c := range t.calls {
			names = append(names, c.Name)
		}
	}
	return names
}

// uncalled is the first tool not called yet, the first of all if there is none.
func (p prompt) uncalled(past []string) tool {
next:
	for _, t := range p.tools {
		for _, name := range past {
			if name == t.name {
				continue next
			}
		}
		return t
	}
	return p.tools[0]
}

// call makes the arguments of a step.
func (s step) call(text string) Call {
	f := newFiller(s.tool.schema, s.near+"\n"+text)
	if v, err := decode([]byte(s.args)); err == nil {
		if o, ok := v.(object); ok {
			return Call{Name: s.tool.name, Args: string(encode(o))}
		}
	}
	if s.args != "" {
		f.given = strings.Split(s.args, ",")
	}
	v, ok := f.value(s.tool.schema, s.tool.name).(object)
	if !ok {
		v = object{}
	}
	return Call{Name: s.tool.name, Args: string(encode(v))}
}

// mention is a place in a text that has the name of a tool.
type mention struct {
	tool     tool
	from, to int
	args     string
}

// steps is the plan that a user's text gives.
func (p prompt) steps(text string) []step {
	found := p.mentions(text)
	if len(found) == 0 {
		return p.wanted(text)
	}
	var steps []step
	for i, m := range found {
		next := len(text)
		if i+1 < len(found) {
			next = found[i+1].from
		}
		s := step{tool: m.tool, args: m.args, near: text[m.to:next]}
		if i > 0 {
			s.joint = joins(text[found[i-1].to:m.from])
		}
		steps = append(steps, s)
	}
	return steps
}

// joins reports whether the text between two names puts them in one turn.
func joins(between string) bool {
	switch strings.ToLower(strings.Trim(between, " \t\r\n`'\"*")) {
	case "and", "&", "+":
		return true
	}
	return false
}

// mentions finds the names of the tools in a text, in order.
func (p prompt) mentions(text string) []mention {
	var found []mention
	for _, t := range p.tools {
		for at := 0; t.name != "" && at < len(text); {
			i := strings.Index(text[at:], t.name)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(t.name)
			if inWord(text[:from], text[at:]) {
				continue
			}
			args, n := arguments(text[at:])
			found = append(found, mention{t, from, at + n, args})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].from < found[j].from })
	// A name inside the arguments of another tool does not call its tool.
	var steps []mention
	for _, m := range found {
		if len(steps) == 0 || m.from >= steps[len(steps)-1].to {
			steps = append(steps, m)
		}
	}
	return steps
}

// arguments reads "(...)" at the beginning of a text, and its length.
func arguments(text string) (string, int) {
	if !strings.HasPrefix(text, "(") {
		return "", 0
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return strings.TrimSpace(text[1:i]), i + 1
		}
	}
	return "", 0
}

// wanted returns the tools whose names have a word of the text, in the order of
// the request.
func (p prompt) wanted(text string) []step {
	said := map[string]bool{}
	for _, w := range lowerWords(text) {
		said[w] = true
	}
	var steps []step
	for _, t := range p.tools {
		for _, w := range lowerWords(t.name) {
			if len(w) >= 4 && said[w] {
				steps = append(steps, step{tool: t})
				break
			}
		}
	}
	return steps
}

// lowerWords cuts a text into words in lower case; camelCase is two.
func lowerWords(text string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.Fields(b.String())
}
