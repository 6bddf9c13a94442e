package mutation

import (
	"fmt"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A subject is an answer for which the table makes mutations.
type subject struct {
	it      *interaction.Interaction
	form    *canon.Form
	api     api
	options Options

	answer   *answer
	document func() *document // the JSON of the answer, as it was recorded
	request  exactjson.Value
	isStrict bool // the provider keeps the answer within a schema

	list []*Mutation
}

// newSubject returns the subject of an interaction, or nil if it has no answer that can be changed.
func newSubject(it *interaction.Interaction, form *canon.Form, api api, o Options) *subject {
	a := api.read(newDocument(&it.Response))
	if a == nil || len(a.texts) == 0 && len(a.calls) == 0 {
		return nil
	}
	s := newResponse(it, form, o)
	s.api = api
	s.answer = a
	s.request, _ = exactjson.Parse(it.Request.Body) // the request of a family is JSON, or null here
	s.isStrict = isStrict(&s.request)
	return s
}

// newResponse returns a subject whose answer is unread.
func newResponse(it *interaction.Interaction, form *canon.Form, o Options) *subject {
	return &subject{
		it: it, form: form, options: o,
		document: func() *document { return newDocument(&it.Response) },
	}
}

// table has all changes of the answer of a model.
var table = []func(*subject){
	addControl, addTexts, addFields, addCalls, addEndings, addFailures, addStreamFailures,
}

// add adds a mutation that changes the answer. change returns false if it cannot.
func (s *subject) add(kind Kind, what, notice string, change func(a *answer) bool) {
	changed := func() *interaction.Response {
		a := s.api.read(s.document())
		if !change(a) {
			return nil
		}
		if api, ok := s.api.(finisher); ok {
			api.finish(a.document)
		}
		return a.document.changed()
	}
	if kind != Control && changed() == nil {
		return
	}
	s.list = append(s.list, &Mutation{Kind: kind, What: what, Notice: notice, Response: changed})
}

// addControl adds the same answer, with each text cut anew into its pieces.
func addControl(s *subject) {
	s.add(Control, "the same answer, written again", "", func(a *answer) bool {
		writeAgain(a)
		return true
	})
}

// writeAgain cuts each text of an answer anew into its pieces.
func writeAgain(a *answer) {
	for _, t := range a.texts {
		t.setAgain()
	}
	for _, c := range a.calls {
		c.args.setAgain()
	}
}

// another is a text that says nothing of the recorded one.
const another = "It depends."

// structured returns the text that is a JSON object, or nil if there is none.
func (s *subject) structured() (t *text, number int, object exactjson.Value) {
	for i, t := range s.answer.texts {
		v, ok := t.value()
		if ok && v.Kind == exactjson.Object {
			return t, i, v
		}
	}
	return nil, 0, exactjson.Value{}
}

// addTexts adds other texts. An answer with calls may have a text beside them, which programs show
// to a user, if at all; the calls are what matters.
func addTexts(s *subject) {
	text := s.answer.text()
	structured, _, _ := s.structured()
	if text == "" || len(s.answer.calls) > 0 || structured != nil && s.isStrict {
		return
	}
	notice := "assert on the text of the answer"
	if structured != nil {
		notice = "check the error of json.Unmarshal"
	}
	s.add(OtherText, quote(text)+" -> "+quote(another), notice, func(a *answer) bool {
		for i, t := range a.texts {
			t.set("")
			if i == 0 {
				t.set(another)
			}
		}
		return true
	})
	s.add(NoText, quote(text)+` -> ""`, "fail if the answer has no text", func(a *answer) bool {
		s.api.clear(a)
		return true
	})
}

// addFields changes the fields of structured output, one by one.
func addFields(s *subject) {
	structured, number, object := s.structured()
	if structured == nil {
		return
	}
	edit := func(kind Kind, what, notice string, change func(object *exactjson.Value)) {
		s.add(kind, what, notice, func(a *answer) bool {
			changed := clone(&object)
			change(&changed)
			a.texts[number].setValue(changed)
			return true
		})
	}
	for i := range object.Elems {
		field := &object.Elems[i]
		other, ok := s.otherValue(field)
		if ok {
			what := fmt.Sprintf("%s: %s -> %s", field.Name, short(field), short(&other))
			edit(FieldValue, what, "compare field "+field.Name, func(object *exactjson.Value) {
				setMember(object, field.Name, other)
			})
		}
		if s.isStrict {
			continue
		}
		what := fmt.Sprintf("%s: %s -> (missing)", field.Name, short(field))
		edit(FieldMissing, what, "fail if field "+field.Name+" is missing", func(object *exactjson.Value) {
			dropMember(object, field.Name)
		})
		wrong := stringValue("n/a")
		if field.Kind == exactjson.String {
			wrong = parsed("[]")
		}
		what = fmt.Sprintf("%s: %s -> %s", field.Name, short(field), short(&wrong))
		edit(FieldType, what, "check the error of json.Unmarshal", func(object *exactjson.Value) {
			setMember(object, field.Name, wrong)
		})
	}
}

// otherValue returns another value for a field, of the same type. If the schema lists the values, it
// is one of them. It returns false if there is no other.
func (s *subject) otherValue(field *exactjson.Value) (other exactjson.Value, ok bool) {
	if values := enumOf(&s.request, field.Name); values != nil {
		for _, v := range values {
			if compact(&v) != compact(field) {
				return v, true
			}
		}
		return other, false
	}
	return otherOf(field, "another")
}

// addCalls changes the tool calls. What a changed call sets off must not be more than what the
// recorded one did: no other tool of the request, no switch such as "dry_run", no value of a list
// of allowed ones ("delete"), and no second call of a tool that really runs.
func addCalls(s *subject) {
	for i, c := range s.answer.calls {
		name := c.name()
		edit := func(kind Kind, what, notice string, change func(a *answer, c *call)) {
			s.add(kind, what, notice, func(a *answer) bool {
				change(a, a.calls[i])
				return true
			})
		}
		edit(NoCall, name+"(...) -> no call", "assert that "+name+" is called", s.api.drop)
		unknown := name + "_v2"
		edit(UnknownTool, name+" -> "+unknown, "assert on the name of the tool", func(_ *answer, c *call) {
			for _, v := range c.names {
				setText(v, unknown)
			}
		})
		if s.options.Wrapped != nil && s.options.Wrapped(name) {
			edit(CalledTwice, name+" -> "+name+", "+name, "assert on the number of calls of "+name, s.api.repeat)
		}
		addArguments(s, c, edit)
	}
}

// addArguments changes the arguments of a call, one by one, and leaves the first one out.
func addArguments(
	s *subject, c *call, edit func(kind Kind, what, notice string, change func(a *answer, c *call)),
) {
	name := c.name()
	args, ok := c.args.value()
	if !ok || args.Kind != exactjson.Object {
		return
	}
	for i := range args.Elems {
		arg := &args.Elems[i]
		isSwitch := arg.Kind == exactjson.Bool || enumOf(&s.request, arg.Name) != nil
		if isSwitch {
			continue
		}
		other, ok := s.otherValue(arg)
		if arg.Kind == exactjson.String {
			other.Text = arg.Text + "2"
		}
		if !ok {
			continue
		}
		what := fmt.Sprintf("%s(%s: %s -> %s)", name, arg.Name, shortEnd(arg), shortEnd(&other))
		edit(Argument, what, "assert on argument "+arg.Name+" of "+name, func(_ *answer, c *call) {
			changed := clone(&args)
			setMember(&changed, arg.Name, other)
			c.args.setValue(changed)
		})
	}
	if len(args.Elems) == 0 || isStrictTool(&s.request, name) {
		return
	}
	first := args.Elems[0].Name
	what := fmt.Sprintf("%s without %s", name, first)
	edit(ArgumentMissing, what, "have "+name+" refuse a call without "+first, func(_ *answer, c *call) {
		changed := clone(&args)
		dropMember(&changed, first)
		c.args.setValue(changed)
	})
}

// addEndings ends the answer for other reasons.
func addEndings(s *subject) {
	text := s.answer.text()
	if text != "" && len(s.answer.calls) == 0 {
		s.add(CutOff, "ends in the middle of the text, at the limit of tokens", "check the finish reason",
			func(a *answer) bool {
				for i, t := range a.texts {
					isLast := i == len(a.texts)-1
					if isLast {
						t.set(firstHalf(t.String()))
					}
				}
				return s.api.end(a, cutOff)
			})
	}
	s.add(Filtered, "ends at once, withheld by a filter", "check the finish reason", func(a *answer) bool {
		for _, c := range slices.Backward(a.calls) {
			s.api.drop(a, c)
		}
		s.api.clear(a)
		return s.api.end(a, filtered)
	})
	s.add(Refused, "the model refuses", "check whether the model refused", func(a *answer) bool {
		return s.api.end(a, refused)
	})
}

// firstHalf returns the first half of a text.
func firstHalf(s string) string { return piecesOf(s, 2)[0] }

// addFailures has the provider fail.
func addFailures(s *subject) {
	for _, f := range []struct {
		kind         Kind
		status       int
		what, notice string
	}{
		{Limited, 429, "status 429, each time", "check the error of the call"},
		{Failed, 500, "status 500, each time", "check the error of the call"},
	} {
		s.list = append(s.list, &Mutation{
			Kind: f.kind, What: f.what, Notice: f.notice,
			Response: func() *interaction.Response { return failure(&s.it.Request, f.status) },
		})
	}
}

// addStreamFailures has the stream end too early.
func addStreamFailures(s *subject) {
	resp := &s.it.Response
	n := len(resp.Events) / 2
	if resp.Stream == "" || n == 0 {
		return
	}
	cut := func() *interaction.Response {
		c := resp.Clone()
		c.Events = c.Events[:n]
		c.Delays = nil
		return c
	}
	s.list = append(s.list, &Mutation{
		Kind:     StreamEnds,
		What:     "the stream ends in the middle, without an error",
		Notice:   "check the finish reason",
		Response: cut,
	}, &Mutation{
		Kind:   StreamBreaks,
		What:   "the connection breaks in the middle of the stream",
		Notice: "check the error of the stream",
		Response: func() *interaction.Response {
			c := cut()
			c.End = interaction.EndError
			c.Error = "unexpected EOF"
			return c
		},
	})
	s.add(StreamError, "an error comes as an event of the stream", "check the error of the stream",
		func(a *answer) bool {
			var last *payload
			for _, p := range a.document.payloads {
				if p.place >= n {
					p.isDropped = true
				} else {
					last = p
				}
			}
			if last == nil {
				return false
			}
			if a.document.isEventStream() {
				last.setException()
				return true
			}
			return s.api.errorEvent(a.document, last)
		})
}
