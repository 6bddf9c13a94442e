package fakeprovider

import (
	"strings"

	"github.com/promptecho/promptecho/internal/english"
)

// reply answers a prompt by its words; variants are the choices of one request,
// from 0. Plans is that of [family].
func (p prompt) reply(variant int, plans func(choice) bool) Reply {
	r := Reply{Usage: Usage{Input: p.size()}}
	if p.thinks {
		_, words, _ := p.count()
		r.Reasoning = "[stand-in] Thinking about " + english.Count(words, "word") + "."
	}
	r.Calls = p.nextCalls()
	switch {
	case len(r.Calls) > 0:
		r.Finish = FinishCalls
		if plans != nil && plans(p.choice) {
			r.Text = planOf(r.Calls)
		}
	case p.format != nil:
		r.Text = string(encode(p.structured(variant)))
		p.cut(&r)
	default:
		r.Text = p.say(variant)
		p.cut(&r)
	}
	r.Usage.Output = len(tokens(r.Reasoning)) + len(tokens(r.Text)) + callTokens(r.Calls)
	return r
}

// planOf returns what an answer says before it calls tools.
func planOf(calls []Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name)
	}
	return "[stand-in] I will use " + strings.Join(names, " and ") + "."
}

// cut ends the text at the first stop sequence and at the token limit.
func (p prompt) cut(r *Reply) {
	r.Finish = FinishStop
	at := len(r.Text)
	for _, stop := range p.stops {
		i := strings.Index(r.Text, stop)
		if stop != "" && i >= 0 && i < at {
			at = i
			r.StopSequence = stop
			r.Finish = FinishSequence
		}
	}
	r.Text = r.Text[:at]
	all := tokens(r.Text)
	if p.limit > 0 && len(all) > p.limit {
		r.Text = strings.Join(all[:p.limit], "")
		r.StopSequence = ""
		r.Finish = FinishLength
	}
}

// structured is the value of an answer in JSON.
func (p prompt) structured(variant int) any {
	if p.format.schema == nil {
		return object{{"answer", p.say(variant)}}
	}
	return newFiller(p.format.schema, p.lastUser()).value(p.format.schema, "answer")
}
