package fakeprovider

import "cmp"

// refusalAsText returns a reply whose text is its refusal, for providers whose
// models refuse in the text.
func refusalAsText(r Reply) Reply {
	if r.Refusal != "" {
		r.Text = r.Refusal
		r.Pieces = nil
		r.Refusal = ""
	}
	return r
}

// argsObject returns the arguments of a call for providers that send them as an
// object. Arguments that are not a JSON object become the empty object, also those
// that a token limit has cut, which only a stream of text can show.
func argsObject(t Call) raw {
	v, err := decode([]byte(t.Args))
	_, isObject := v.(object)
	if err != nil || !isObject {
		return raw("{}")
	}
	return raw(t.Args)
}

// brokenMessage returns the message of an error that ends a stream.
func brokenMessage(p Problem) string {
	return cmp.Or(p.Message, "an error was encountered while running the model (stand-in)")
}
