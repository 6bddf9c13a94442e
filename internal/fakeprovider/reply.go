package fakeprovider

import "strings"

// reply answers a prompt; variants are the choices of one request, from 0.
func (p prompt) reply(variant int) reply {
	r := reply{in: p.size()}
	r.calls = p.nextCalls()
	if len(r.calls) > 0 {
		r.why = called
		for _, c := range r.calls {
			r.out += len(tokens(c.name)) + len(tokens(c.args))
		}
		return r
	}
	if p.format != nil {
		r.text = string(encode(p.structured(variant)))
	} else {
		r.text = p.say(variant)
	}
	p.cut(&r)
	r.out = len(r.tokens)
	return r
}

// cut ends the text at the first stop sequence and at the token limit.
func (p prompt) cut(r *reply) {
	at := len(r.text)
	for _, stop := range p.stops {
		i := strings.Index(r.text, stop)
		if stop != "" && i >= 0 && i < at {
			at = i
			r.stop = stop
			r.why = stopped
		}
	}
	r.text = r.text[:at]
	r.tokens = tokens(r.text)
	if p.limit > 0 && len(r.tokens) > p.limit {
		r.tokens = r.tokens[:p.limit]
		r.text = strings.Join(r.tokens, "")
		r.stop = ""
		r.why = limited
	}
}

// structured is the value of an answer in JSON.
func (p prompt) structured(variant int) any {
	if p.format.schema == nil {
		return object{{"answer", p.say(variant)}}
	}
	return newFiller(p.format.schema, p.lastUser()).value(p.format.schema, "answer")
}
